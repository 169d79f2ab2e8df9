// A colour for each job, the same as long as it lives. Hues go around by the
// golden angle, so jobs with close numbers differ; three lightnesses in turn
// keep them apart for those who see fewer hues.

const lightness = [0.52, 0.7, 0.6];

export function jobColour(id: number): [number, number, number] {
    const hue = (id * 137.508) % 360;
    return hsl(hue, 0.62, lightness[id % 3] ?? 0.6);
}

export function jobCss(id: number): string {
    const [r, g, b] = jobColour(id).map(x => Math.round(255 * x));
    return `rgb(${r} ${g} ${b})`;
}

function hsl(h: number, s: number, l: number): [number, number, number] {
    const part = (n: number) => {
        const k = (n + h / 30) % 12;
        return l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    };
    return [part(0), part(8), part(4)];
}
