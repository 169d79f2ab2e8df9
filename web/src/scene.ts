// The machine in space. A node with a job is a solid cube in the job's colour,
// a free node a dot, one that is down or drained a diamond. The inside is seen
// by slicing and by drawing the planes apart; a selected job stays solid while
// the others fade. It is drawn only when something has changed.
import {
    AmbientLight, BoxGeometry, BufferAttribute, BufferGeometry, Color, DirectionalLight, DynamicDrawUsage,
    InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, MeshBasicMaterial, MeshLambertMaterial,
    OctahedronGeometry, PerspectiveCamera, Quaternion, Scene, Vector3, WebGLRenderer, WebGLRenderTarget,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { jobColour } from "./colour";
import { coordinates, linksWithin, positions, type Machine } from "./machine";

export type NodeState = "free" | "busy" | "down" | "drained";

// What a node shows.
export interface Look {
    state: NodeState;
    job: number; // or 0
}

export interface Slice {
    dim: number;
    at: number; // or -1: everything
}

const size = { busy: 0.82, free: 0.16, down: 0.55, faded: 0.3 };

export class MachineScene {
    readonly machine: Machine;
    private readonly renderer: WebGLRenderer;
    private readonly scene = new Scene();
    private readonly camera = new PerspectiveCamera(40, 1, 0.1, 10000);
    private readonly controls: OrbitControls;
    private readonly cubes: InstancedMesh;
    private readonly marks: InstancedMesh;
    private readonly ids: InstancedMesh; // the same, each in the colour of its id
    private readonly idScene = new Scene();
    private readonly target = new WebGLRenderTarget(1, 1);
    private readonly links = new LineSegments(new BufferGeometry(), new LineBasicMaterial());
    private at: Float32Array;
    private looks: Look[] = [];
    private lit = new Set<number>(); // nodes that stay solid
    private linked: number[] = [];
    private slice: Slice = { dim: 0, at: -1 };
    private explode = 0.15;
    private due = false;

    constructor(private readonly canvas: HTMLCanvasElement, machine: Machine) {
        this.machine = machine;
        this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
        this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
        this.at = positions(machine, this.explode);
        const cube = new BoxGeometry(1, 1, 1);
        this.cubes = this.makeMesh(cube, new MeshLambertMaterial());
        this.marks = this.makeMesh(new OctahedronGeometry(0.6), new MeshLambertMaterial());
        this.ids = this.makeMesh(cube, new MeshBasicMaterial());
        this.idScene.add(this.ids);
        this.idScene.background = new Color(0);
        const sun = new DirectionalLight(0xffffff, 2.2);
        sun.position.set(3, 5, 4);
        this.scene.add(this.cubes, this.marks, this.links, sun, new AmbientLight(0xffffff, 1.3));
        this.colourIds();
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.addEventListener("change", () => this.draw());
        this.lookFromAside();
        new ResizeObserver(() => this.resize()).observe(canvas);
        this.resize();
    }

    private makeMesh(shape: BufferGeometry, material: MeshLambertMaterial | MeshBasicMaterial): InstancedMesh {
        const mesh = new InstancedMesh(shape, material, this.machine.nodes);
        mesh.instanceMatrix.setUsage(DynamicDrawUsage);
        mesh.frustumCulled = false;
        return mesh;
    }

    private colourIds() {
        const colour = new Color();
        for (let id = 0; id < this.machine.nodes; id++)
            this.ids.setColorAt(id, colour.setRGB(((id + 1) & 255) / 255, (((id + 1) >> 8) & 255) / 255, ((id + 1) >> 16) / 255));
    }

    // How far the nodes reach from the middle.
    private reach(): number {
        let most = 1;
        for (const x of this.at) most = Math.max(most, Math.abs(x));
        return most;
    }

    lookFromAside() {
        const far = this.reach();
        this.camera.position.set(1.9 * far + 2, 1.6 * far + 2, 3.1 * far + 4);
        this.controls.target.set(0, 0, 0);
        this.controls.update();
        this.draw();
    }

    // Step around it, for those who use keys.
    turn(across: number, up: number) {
        const from = this.camera.position;
        const far = from.length();
        const angle = Math.atan2(from.x, from.z) + across;
        const height = Math.max(-1.4, Math.min(1.4, Math.asin(from.y / far) + up));
        from.set(far * Math.cos(height) * Math.sin(angle), far * Math.sin(height), far * Math.cos(height) * Math.cos(angle));
        this.controls.update();
        this.draw();
    }

    // ---- what is shown ----

    show(looks: Look[]) {
        this.looks = looks;
        this.update();
    }

    // Nodes that stay solid while the others fade; none: all are solid. Of some
    // of them the links are drawn.
    light(nodes: number[], linked: number[] = []) {
        this.lit = new Set(nodes);
        this.linked = linked;
        this.drawLinks(linked);
        this.update();
    }

    setSlice(slice: Slice) {
        this.slice = slice;
        this.update();
    }

    setExplode(explode: number) {
        this.explode = explode;
        this.at = positions(this.machine, explode);
        this.drawLinks(this.linked);
        this.update();
    }

    // How many nodes are drawn, for tests.
    get cells(): number {
        return this.looks.filter((_, id) => this.isShown(id)).length;
    }

    private isShown(id: number): boolean {
        return this.slice.at < 0 || coordinates(this.machine, id)[this.slice.dim] === this.slice.at;
    }

    private sizeOf(id: number, look: Look): number {
        if (!this.isShown(id)) return 0;
        if (look.state === "free") return this.lit.has(id) ? 0.5 : size.free;
        if (look.state === "down" || look.state === "drained") return look.job ? size.busy : size.down;
        return this.lit.size > 0 && !this.lit.has(id) ? size.faded : size.busy;
    }

    private update() {
        const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
        const free = new Color(dark ? 0x5a6478 : 0xa4adbb);
        const grey = new Color(dark ? 0x3a4252 : 0xc4cad4);
        const marks = { down: new Color(0xd01c2c), drained: new Color(0xc98500) };
        const matrix = new Matrix4(), colour = new Color(), where = new Vector3(), still = new Quaternion(), scale = new Vector3();
        this.looks.forEach((look, id) => {
            const broken = look.state === "down" || look.state === "drained";
            const s = this.sizeOf(id, look);
            where.fromArray(this.at, 3 * id);
            this.cubes.setMatrixAt(id, matrix.compose(where, still, scale.setScalar(broken && !look.job ? 0 : s)));
            this.marks.setMatrixAt(id, matrix.compose(where, still, scale.setScalar(broken && s > 0 ? 1.1 : 0)));
            this.ids.setMatrixAt(id, matrix.compose(where, still, scale.setScalar(s > 0 ? Math.max(s, 0.5) : 0)));
            if (look.job) colour.setRGB(...jobColour(look.job), "srgb");
            else colour.copy(free);
            if (look.job && this.lit.size > 0 && !this.lit.has(id)) colour.lerp(grey, 0.6);
            if (!look.job && this.lit.has(id)) colour.setHex(0x2f81f7);
            this.cubes.setColorAt(id, colour);
            this.marks.setColorAt(id, marks[look.state === "down" ? "down" : "drained"]);
        });
        for (const mesh of [this.cubes, this.marks, this.ids]) {
            mesh.instanceMatrix.needsUpdate = true;
            if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
        }
        this.draw();
    }

    // Links between neighbours of a set; those around the end as stubs that
    // leave the machine on both sides.
    private drawLinks(nodes: number[]) {
        const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
        const ends: number[] = [];
        const put = (id: number, dim: number, by: number) => {
            for (let k = 0; k < 3; k++) ends.push((this.at[3 * id + k] ?? 0) + (k === dim % 3 ? by : 0));
        };
        const all = nodes.length > 20000 ? { inner: [], around: [] } : linksWithin(this.machine, nodes);
        for (const [a, b] of all.inner) {
            put(a, 0, 0);
            put(b, 0, 0);
        }
        for (const { from, to, dim } of all.around) {
            put(from, dim, 0);
            put(from, dim, 0.9);
            put(to, dim, 0);
            put(to, dim, -0.9);
        }
        this.links.geometry.dispose();
        this.links.geometry = new BufferGeometry();
        this.links.geometry.setAttribute("position", new BufferAttribute(new Float32Array(ends), 3));
        this.links.material.color.set(dark ? 0xffffff : 0x101418);
    }

    // ---- which node is there ----

    // The node under a point of the canvas, or -1: it is drawn alone, each node
    // in the colour of its id.
    pick(x: number, y: number): number {
        const { clientWidth: w, clientHeight: h } = this.canvas;
        this.camera.setViewOffset(w, h, x, y, 1, 1);
        this.renderer.setRenderTarget(this.target);
        this.renderer.outputColorSpace = "srgb-linear";
        this.renderer.render(this.idScene, this.camera);
        this.renderer.setRenderTarget(null);
        this.renderer.outputColorSpace = "srgb";
        this.camera.clearViewOffset();
        const seen = new Uint8Array(4);
        this.renderer.readRenderTargetPixels(this.target, 0, 0, 1, 1, seen);
        return (seen[0] ?? 0) + 256 * (seen[1] ?? 0) + 65536 * (seen[2] ?? 0) - 1;
    }

    // Where a node is on the canvas.
    project(id: number): { x: number; y: number } {
        const at = new Vector3().fromArray(this.at, 3 * id).project(this.camera);
        return { x: ((at.x + 1) / 2) * this.canvas.clientWidth, y: ((1 - at.y) / 2) * this.canvas.clientHeight };
    }

    private resize() {
        const { clientWidth: w, clientHeight: h } = this.canvas;
        if (w === 0 || h === 0) return;
        this.renderer.setSize(w, h, false);
        this.camera.aspect = w / h;
        this.camera.updateProjectionMatrix();
        this.draw();
    }

    draw() {
        if (this.due) return;
        this.due = true;
        requestAnimationFrame(() => {
            this.due = false;
            this.renderer.render(this.scene, this.camera);
        });
    }
}
