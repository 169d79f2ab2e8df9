// The machine under mouse, keys and controls: the page and the report have the
// same ones.
import { byId, el } from "./dom";
import type { Machine } from "./machine";
import type { MachineScene } from "./scene";

const steps: Record<string, [number, number]> = { ArrowLeft: [-0.15, 0], ArrowRight: [0.15, 0], ArrowUp: [0, 0.15], ArrowDown: [0, -0.15] };

// The place of the pointer on the canvas.
export function pointOf(event: MouseEvent): { x: number; y: number } {
    const box = (event.target as HTMLElement).getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
}

export function listenToView(scene: MachineScene, machine: Machine, describe: (id: number) => string, over: (id: number) => void = () => undefined) {
    const canvas = byId<HTMLCanvasElement>("scene"), hover = byId("hover");
    canvas.addEventListener("pointermove", event => {
        const { x, y } = pointOf(event), id = event.buttons ? -1 : scene.pick(x, y);
        hover.hidden = id < 0;
        over(id);
        if (id < 0) return;
        hover.textContent = describe(id);
        hover.style.left = `${Math.min(x + 12, canvas.clientWidth - hover.offsetWidth)}px`;
        hover.style.top = `${y + 12}px`;
    });
    canvas.addEventListener("pointerleave", () => {
        hover.hidden = true;
        over(-1);
    });
    canvas.addEventListener("keydown", event => {
        const step = steps[event.key];
        if (!step) return;
        event.preventDefault();
        scene.turn(...step);
    });
    listenToControls(scene, machine);
}

function listenToControls(scene: MachineScene, machine: Machine) {
    const dim = byId<HTMLSelectElement>("slice-dim"), plane = byId<HTMLInputElement>("slice-at"), apart = byId<HTMLInputElement>("explode");
    const what = (i: number) => (i >= machine.apart ? "" : i === 0 && machine.several ? ", pods" : ", cubes");
    machine.sides.forEach((side, i) => dim.append(el("option", { value: `${i}` }, `dimension ${i} (${side}${what(i)})`)));
    const slice = () => {
        plane.max = `${(machine.sides[Number(dim.value)] ?? 1) - 1}`;
        byId("slice-text").textContent = Number(plane.value) < 0 ? "all" : plane.value;
        scene.setSlice({ dim: Number(dim.value), at: Number(plane.value) });
    };
    dim.addEventListener("change", slice);
    plane.addEventListener("input", slice);
    apart.addEventListener("input", () => scene.setExplode(Number(apart.value)));
    byId("home").addEventListener("click", () => scene.lookFromAside());
    document.getElementById("zoom")?.addEventListener("click", () => scene.lookAtLit());
    slice();
}
