// Elements in one line.

type Child = Node | string | null | undefined | false;

export function el<K extends keyof HTMLElementTagNameMap>(
    tag: K, attributes: Record<string, string | boolean | ((event: Event) => void)> = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === "function") made.addEventListener(name, value);
        else if (name === "style") made.style.cssText = `${value}`; // an attribute is not allowed to
        else if (value === true) made.setAttribute(name, "");
        else if (value !== false) made.setAttribute(name, value);
    }
    for (const child of children) if (child) made.append(child);
    return made;
}

export function byId<T extends HTMLElement>(id: string): T {
    const found = document.getElementById(id);
    if (!found) throw new Error(`the page has no ${id}`);
    return found as T;
}

// Light may become dark while the page is open.
export function onScheme(act: () => void) {
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", act);
}

// Of the axes of a plot; colours are asked for whenever it is drawn.
export function axisStyle() {
    const colour = (name: string) => () => getComputedStyle(document.body).getPropertyValue(name);
    return { stroke: colour("--ink"), grid: { stroke: colour("--line") }, ticks: { stroke: colour("--line") } };
}
