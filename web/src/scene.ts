// The machine in space. A node with a job is a solid cube in the job's colour,
// a free node a dot, one that is down or drained a diamond. The inside is seen
// by slicing and by drawing the planes apart; a selected job stays solid while
// the others fade. Of a pod, ports that switches join for a job are plates on the
// faces of cubes; those of a job that is selected or pointed at are lit, and arcs
// go from face to face. Scattered jobs, the place where a selected job will start
// and reservations have outlines. Numbers of jobs, of planes and of cubes are
// written over the picture while it stands still.
//
// It is drawn only when something has changed, in as many calls as there are
// shapes, however many nodes there are. Of a large machine, cubes that others
// hide are left out. Where that is still slow, as without a graphics processor,
// cubes are balls while it turns, or always.
import {
    AmbientLight, BoxGeometry, BufferAttribute, BufferGeometry, Color, DirectionalLight, LineBasicMaterial,
    LineSegments, MeshBasicMaterial, OctahedronGeometry, PerspectiveCamera, Scene, Vector2, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { chooseColours, jobColour } from "./colour";
import { frames, linksWithin, positions, sideAlong, spaceOf, type Joint, type Machine } from "./machine";
import { cutsOf, outline, ticksOf, written } from "./marks";
import { Balls, Solids } from "./shapes";

// Nodes out of service, by number.
export type Broken = ReadonlyMap<number, "down" | "drained">;

// Outlines around nodes.
export interface Marks {
    kept: number[][]; // nodes of reservations
    cut: string[]; // links that are down
}

export interface Slice {
    dim: number;
    at: number; // or -1: everything
}

// How a node looks, and how large it is then.
const Look = { none: 0, free: 1, faded: 2, wanted: 3, broken: 4, job: 5 };
const sizes = [0, 0.1, 0.3, 0.5, 0.45, 0.82];

// A machine of more nodes is large.
const large = 10000;

// At most so many nodes are outlined at once.
const outlined = 20000;

const cutsMost = 2000;

// Frames that take longer than this are too slow to turn it, and to be drawn at
// all, in milliseconds.
const slow = 100, tooSlow = 1000;

export class MachineScene {
    private readonly renderer: WebGLRenderer;
    private readonly scene = new Scene();
    private readonly camera = new PerspectiveCamera(22, 1, 0.1, 1000);
    private readonly controls: OrbitControls;
    private readonly cubes: Solids;
    private readonly diamonds: Solids;
    private readonly dots: Balls;
    private readonly balls: Balls; // the cubes, where those are slow
    private readonly links = new LineSegments(new BufferGeometry(), new LineBasicMaterial());
    private readonly plates: Solids;
    private readonly arcs = new LineSegments(new BufferGeometry(), new LineBasicMaterial());
    private readonly hulls = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ vertexColors: true }));
    private marks: Marks = { kept: [], cut: [] };
    private readonly cuts: Solids;
    private texts: ReturnType<typeof setTimeout> | undefined;
    private readonly edges = new LineSegments(new BufferGeometry(), new LineBasicMaterial());
    private readonly dark = window.matchMedia("(prefers-color-scheme: dark)");
    private at: Float32Array;
    private owner: Int32Array;
    private broken: Broken = new Map();
    private readonly lit: Uint8Array; // nodes that stay solid
    private fading = false; // while others do not
    private linked: number[] = [];
    private nearest: number[] = []; // nodes of the place that lacks least for the selected job
    private joints: ReadonlyMap<number, Joint[]> = new Map(); // by job
    private chosen = 0; // the job that is selected
    private pointed = 0; // the one that is pointed at
    private readonly looks: Uint8Array; // of each node, a Look
    private slice: Slice = { dim: 0, at: -1 };
    private explode = 0.15;
    private due = false;
    private turning = false;
    private timing = false;
    private took = [0, 0]; // the last frames with cubes, in milliseconds
    private untouched = true; // nobody has turned it

    constructor(private readonly canvas: HTMLCanvasElement, private readonly machine: Machine, private readonly labels?: HTMLElement) {
        const { nodes } = machine;
        this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
        this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
        this.at = positions(machine, this.explode);
        this.owner = new Int32Array(nodes);
        this.lit = new Uint8Array(nodes);
        this.looks = new Uint8Array(nodes);
        this.cubes = new Solids(new BoxGeometry(1, 1, 1), nodes);
        this.diamonds = new Solids(new OctahedronGeometry(1), nodes);
        this.plates = new Solids(new BoxGeometry(1, 1, 1), portsOf(machine), new MeshBasicMaterial());
        this.cuts = new Solids(new OctahedronGeometry(1), cutsMost);
        this.dots = new Balls(this.camera, nodes);
        this.balls = new Balls(this.camera, nodes);
        this.balls.object.visible = false;
        const sun = new DirectionalLight(0xffffff, 2.2);
        sun.position.set(3, 5, 4);
        this.scene.add(this.cubes.object, this.diamonds.object, this.dots.object, this.balls.object, this.plates.object, this.arcs, this.links, this.edges, this.hulls, this.cuts.object, sun, new AmbientLight(0xffffff, 1.3));
        this.controls = new OrbitControls(this.camera, canvas);
        this.listen();
    }

    private listen() {
        this.controls.addEventListener("change", () => this.draw());
        this.controls.addEventListener("start", () => {
            this.turning = true;
            this.untouched = false;
            this.chooseShape();
        });
        this.controls.addEventListener("end", () => {
            this.turning = false;
            this.chooseShape();
        });
        this.dark.addEventListener("change", () => this.update());
        new ResizeObserver(() => this.resize()).observe(this.canvas);
        this.resize();
    }

    // ---- where it is seen from ----

    // The whole of it, from aside; from the front if it is flat.
    lookFromAside() {
        const half = new Vector3();
        for (let i = 0; i < this.at.length; i++) half.setComponent(i % 3, Math.max(half.getComponent(i % 3), Math.abs(this.at[i] ?? 0) + 0.5));
        const from = half.z > 0.5 ? new Vector3(1.9 * Math.min(1, (1.5 * half.z) / half.x), 1.6 * Math.min(1, (3 * half.z) / half.y), 3.1) : new Vector3(0, 0, 1);
        this.approach(new Vector3(), half, from.normalize());
        this.camera.far = 10 * this.camera.position.length() + 100;
        this.camera.updateProjectionMatrix();
        this.draw();
        this.untouched = true;
    }

    // Go near to what is lit, or to all of it.
    lookAtLit() {
        const ids = this.fading ? Array.from(this.lit, (lit, id) => (lit ? id : -1)).filter(id => id >= 0) : [];
        if (!ids.length) return this.lookFromAside();
        const low = new Vector3(Infinity, Infinity, Infinity), high = low.clone().negate(), at = new Vector3();
        for (const id of ids) {
            at.fromArray(this.at, 3 * id);
            low.min(at);
            high.max(at);
        }
        const half = high.clone().sub(low).multiplyScalar(0.5).addScalar(0.8), from = this.camera.position.clone().sub(this.controls.target).normalize();
        this.approach(low.add(high).multiplyScalar(0.5), half, from);
        this.untouched = false;
        this.draw();
    }

    // Look from there at a box around a place: all of its corners are in sight, and as
    // far from the upper edge as from the lower.
    private approach(at: Vector3, half: Vector3, from: Vector3) {
        const right = new Vector3(0, 1, 0).cross(from).normalize(), up = from.clone().cross(right);
        const high = Math.tan((this.camera.fov * Math.PI) / 360), wide = high * this.camera.aspect;
        const corners = Array.from({ length: 8 }, (_, k) => new Vector3(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z));
        const reach = (shift: number) => Math.max(...corners.map(c => c.dot(from) + Math.max(Math.abs(c.dot(right)) / wide, Math.abs(c.dot(up) - shift) / high)));
        const first = reach(0), heights = corners.map(c => c.dot(up) * first / (first - c.dot(from))), shift = (Math.min(...heights) + Math.max(...heights)) / 2;
        this.controls.target.copy(at).addScaledVector(up, shift);
        this.camera.position.copy(this.controls.target).addScaledVector(from, 1.05 * reach(shift) + 1);
        this.controls.update();
    }

    // Step around it, for those who use keys.
    turn(across: number, up: number) {
        const from = this.camera.position.sub(this.controls.target);
        const far = from.length();
        const angle = Math.atan2(from.x, from.z) + across;
        const height = Math.max(-1.4, Math.min(1.4, Math.asin(from.y / far) + up));
        from.set(far * Math.cos(height) * Math.sin(angle), far * Math.sin(height), far * Math.cos(height) * Math.cos(angle)).add(this.controls.target);
        this.untouched = false;
        this.controls.update();
        this.draw();
    }

    // ---- what is shown ----

    // The job of each node, or 0; and what is joined for jobs.
    show(owner: Int32Array, broken: Broken = new Map(), joints: ReadonlyMap<number, Joint[]> = new Map(), marks: Marks = { kept: [], cut: [] }) {
        this.owner = owner;
        this.marks = marks;
        chooseColours(owner, this.machine);
        this.broken = broken;
        this.joints = joints;
        this.update();
    }

    // Nodes that stay solid while the others fade; none: all are solid. Of some
    // of them the links are drawn. They may be those of a job. Of a job that waits,
    // the place that lacks least has an outline.
    light(nodes: number[], linked: number[] = [], job = 0, nearest: number[] = []) {
        this.chosen = job;
        this.nearest = nearest;
        this.lit.fill(0);
        for (const id of nodes) this.lit[id] = 1;
        this.fading = nodes.length > 0;
        this.linked = linked;
        this.update();
    }

    // A job is pointed at, or none.
    point(job: number) {
        if (job === this.pointed) return;
        this.pointed = job;
        if (this.joints.size === 0) return;
        this.drawJoints();
        this.draw();
    }

    setSlice(slice: Slice) {
        this.slice = slice;
        this.update();
    }

    setExplode(explode: number) {
        this.explode = explode;
        this.at = positions(this.machine, explode);
        this.update();
    }

    // How many nodes are drawn, for tests; and what that costs.
    get cells(): number {
        return this.looks.reduce((n, look) => n + (look ? 1 : 0), 0);
    }

    // Joints whose faces are lit, for tests.
    get lights(): number {
        return this.arcsOf().length;
    }

    get cost() {
        const { calls, triangles, points } = this.renderer.info.render;
        return { calls, triangles, points, took: Math.min(...this.took) };
    }

    private update() {
        const { at, dim } = this.slice, { stride, side } = sideAlong(this.machine, dim);
        const shapes = [this.cubes, this.diamonds, this.dots, this.balls];
        const put = this.painter();
        for (let id = 0; id < this.machine.nodes; id++)
            this.looks[id] = at < 0 || Math.floor(id / stride) % side === at ? this.lookOf(id) : Look.none;
        const hidden = this.machine.nodes > large && this.explode < 0.5 ? inside(this.machine, this.looks.map(look => (look === Look.job ? 1 : 0))) : undefined;
        for (const shape of shapes) shape.begin();
        for (let id = 0; id < this.machine.nodes; id++) if (this.looks[id] && !hidden?.[id]) put(id);
        for (const shape of shapes) shape.end();
        this.drawLinks(this.linked);
        this.drawJoints();
        this.drawHulls();
        this.drawCuts();
        setLines(this.edges, frames(this.machine, this.at), this.dark.matches ? 0x3a4252 : 0xd0d6df);
        this.draw();
    }

    private lookOf(id: number): number {
        if (this.owner[id]) return this.fading && !this.lit[id] ? Look.faded : Look.job;
        if (this.broken.has(id)) return Look.broken;
        return this.lit[id] ? Look.wanted : Look.free;
    }

    // Put a node among the shapes.
    private painter(): (id: number) => void {
        const dark = this.dark.matches;
        const free = new Color(dark ? 0x5a6478 : 0xa4adbb), grey = new Color(dark ? 0x3a4252 : 0xc4cad4), wanted = new Color(0x2f81f7);
        const marks = { down: new Color(0xd01c2c), drained: new Color(0xc98500) };
        const colours = new Map<number, [Color, Color]>(); // of jobs, and faded
        const coloursOf = (job: number) => {
            const known = colours.get(job);
            if (known) return known;
            const colour = new Color().setRGB(...jobColour(job), "srgb");
            const both: [Color, Color] = [colour, colour.clone().lerp(grey, 0.6)];
            colours.set(job, both);
            return both;
        };
        return id => {
            const job = this.owner[id], broken = this.broken.get(id), look = this.looks[id] ?? 0, s = sizes[look] ?? 0;
            // Through a cube its points are seen.
            if (broken) this.diamonds.put(this.at, id, job ? 0.63 * s : this.fading && !this.lit[id] ? 0.6 * s : s, marks[broken]);
            if (look === Look.broken) return;
            if (look === Look.free) return this.dots.put(this.at, id, s, free);
            const colour = job ? coloursOf(job)[look === Look.faded ? 1 : 0] : wanted;
            this.cubes.put(this.at, id, s, colour);
            this.balls.put(this.at, id, s, colour);
        };
    }

    // Links between neighbours of a set; those around the end as stubs that
    // leave the machine on both sides.
    private drawLinks(nodes: number[]) {
        const ends: number[] = [];
        const put = (id: number, dim: number, by: number) => {
            for (let k = 0; k < 3; k++) ends.push((this.at[3 * id + k] ?? 0) + (k === dim % 3 ? by : 0));
        };
        const seen = nodes.length > 20000 ? [] : nodes.filter(id => this.looks[id]);
        const all = linksWithin(this.machine, seen);
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
        setLines(this.links, ends, this.dark.matches ? 0xffffff : 0x101418);
    }

    // Outlines: of reservations, of where the selected job will start, within that
    // one the place that lacks least for it now, and of jobs whose nodes are not a box.
    private drawHulls() {
        const ends: number[] = [], colours: number[] = [], half = (1 + this.explode) / 2;
        let left = outlined;
        const add = (nodes: number[], colour: Color, size: number) => {
            if ((left -= nodes.length) < 0) return;
            const more = outline(this.machine, this.at, nodes.filter(id => this.looks[id]), size);
            for (let k = 0; k < more.length; k += 3) colours.push(colour.r, colour.g, colour.b);
            for (const value of more) ends.push(value);
        };
        for (const nodes of this.marks.kept) add(nodes, new Color(this.dark.matches ? 0xe58bd0 : 0xa3238e), half);
        if (this.linked.length && !this.chosen) add(this.linked, new Color(0x2f81f7), half);
        add(this.nearest, new Color(this.dark.matches ? 0xffa657 : 0xbc4c00), half - 0.06);
        if (this.machine.nodes <= outlined) for (const [job, nodes] of this.groups()) if (!isBox(this.machine, nodes)) add(nodes, new Color().setRGB(...jobColour(job), "srgb"), Math.min(half, 0.5));
        setLines(this.hulls, ends, 0xffffff, colours);
    }

    // The nodes of each job.
    private groups(): Map<number, number[]> {
        const found = new Map<number, number[]>();
        this.owner.forEach((job, id) => {
            if (!job || !this.looks[id]) return;
            const list = found.get(job);
            if (list) list.push(id);
            else found.set(job, [id]);
        });
        return found;
    }

    private drawCuts() {
        const red = new Color(this.dark.matches ? 0xff6b76 : 0xd01c2c), at = new Vector3();
        this.cuts.begin();
        for (const { from, axis, way } of this.marks.cut.flatMap(text => cutsOf(this.machine, text)).slice(0, cutsMost)) {
            if (!this.looks[from]) continue;
            at.fromArray(this.at, 3 * from);
            at.setComponent(axis, at.getComponent(axis) + ((1 + this.explode) / 2) * way);
            this.cuts.put(Float32Array.from(at.toArray()), 0, 0.2, red);
        }
        this.cuts.end();
    }

    // ---- texts ----

    // The place of a point on the canvas, and whether it is before the eye.
    private flat(at: Vector3): { x: number; y: number; seen: boolean } {
        const p = at.project(this.camera);
        return { x: ((p.x + 1) / 2) * this.canvas.clientWidth, y: ((1 - p.y) / 2) * this.canvas.clientHeight, seen: Math.abs(p.z) < 1 };
    }

    // Texts are put when the picture stands still: to find out what is in front
    // takes longer than to draw.
    private write() {
        const put: { x: number; y: number; text: string; kind: string }[] = [];
        const add = (x: number, y: number, text: string, kind: string) => {
            const room = 4 + 4 * text.length;
            if (x < 4 || y < 8 || x > this.canvas.clientWidth - 4 || y > this.canvas.clientHeight - 8) return;
            if (!put.some(p => Math.abs(p.x - x) < room + 4 * p.text.length && Math.abs(p.y - y) < 15)) put.push({ x, y, text, kind });
        };
        const groups = [...this.groups()].sort((a, b) => b[1].length - a[1].length).slice(0, 60);
        for (const [job, nodes] of groups) {
            const spot = this.spotOf(nodes);
            if (spot) add(spot.x, spot.y, `${job}`, "of-job");
        }
        for (const { text, node, by } of ticksOf(this.machine)) {
            const { x, y, seen } = this.flat(new Vector3().fromArray(this.at, 3 * node).add(new Vector3(...by)));
            if (seen) add(x, y, text, "of-axis");
        }
        this.labels?.replaceChildren(...put.map(({ x, y, text, kind }) => {
            const made = document.createElement("span");
            made.className = kind;
            made.textContent = text;
            made.style.cssText = `left:${x.toFixed(0)}px;top:${y.toFixed(0)}px`;
            return made;
        }));
    }

    // The node in front that is nearest to the middle of a job, as it is seen.
    private spotOf(nodes: number[]): { x: number; y: number } | undefined {
        const step = Math.ceil(nodes.length / 40), some = nodes.filter((_, i) => i % step === 0).map(id => ({ id, ...this.flat(new Vector3().fromArray(this.at, 3 * id)) })).filter(p => p.seen);
        const x = some.reduce((sum, p) => sum + p.x, 0) / some.length, y = some.reduce((sum, p) => sum + p.y, 0) / some.length;
        some.sort((a, b) => Math.hypot(a.x - x, a.y - y) - Math.hypot(b.x - x, b.y - y));
        return some.slice(0, 12).find(p => this.owner[this.pick(p.x, p.y)] === this.owner[p.id]);
    }

    private writeSoon() {
        if (!this.labels || this.machine.nodes > written) return;
        this.labels.classList.toggle("hide", this.turning);
        clearTimeout(this.texts);
        this.texts = setTimeout(() => this.turning || this.write(), 150);
    }

    private arcsOf(): Joint[] {
        return [this.chosen, this.pointed].filter((job, i, both) => both.indexOf(job) === i).flatMap(job => this.joints.get(job) ?? []);
    }

    // A plate at both ports of every cross-connect; while others fade, only of
    // the job that does not.
    private drawJoints() {
        const ends: number[] = [], lit = new Color(this.dark.matches ? 0xffd24a : 0xe07b00);
        this.plates.begin();
        for (const [job, joints] of this.joints) {
            const bright = job === this.chosen || job === this.pointed;
            if (!bright && this.fading) continue;
            const colour = bright ? lit : new Color().setRGB(...jobColour(job), "srgb");
            for (const { dim, from, to } of joints) {
                const a = this.putPlates(from, dim, 1, colour), b = this.putPlates(to, dim, -1, colour);
                if (bright && a && b) ends.push(...arc(a, b));
            }
        }
        this.plates.end();
        setLines(this.arcs, ends, lit.getHex());
    }

    // On the nodes of a face that are drawn. Returns the middle of it.
    private putPlates(nodes: number[], dim: number, way: number, colour: Color): Vector3 | undefined {
        const axis = (dim - this.machine.apart) % 3, middle = new Vector3(), at = new Vector3(), seen = nodes.filter(id => this.looks[id]);
        for (const id of seen) {
            at.fromArray(this.at, 3 * id);
            at.setComponent(axis, at.getComponent(axis) + 0.55 * way);
            this.plates.put(Float32Array.from(at.toArray()), 0, 0.45, colour);
            this.plates.flatten(axis, 0.1);
            middle.addScaledVector(at, 1 / seen.length);
        }
        return seen.length ? middle : undefined;
    }

    // ---- which node is there ----

    // The node under a point of the canvas, or -1: the first that a line from
    // the eye meets.
    pick(x: number, y: number): number {
        const eye = this.camera.position;
        const way = new Vector3((2 * x) / this.canvas.clientWidth - 1, 1 - (2 * y) / this.canvas.clientHeight, 0.5).unproject(this.camera).sub(eye).normalize();
        let found = -1, nearest = Infinity;
        for (let id = 0; id < this.machine.nodes; id++) {
            const look = this.looks[id];
            if (!look) continue;
            const far = meets(eye, way, this.at, 3 * id, Math.max(sizes[look] ?? 0, 0.5) / 2);
            if (far < nearest) {
                nearest = far;
                found = id;
            }
        }
        return found;
    }

    // The place of a node on the canvas.
    project(id: number): Vector2 {
        const at = new Vector3().fromArray(this.at, 3 * id).project(this.camera);
        return new Vector2(((at.x + 1) / 2) * this.canvas.clientWidth, ((1 - at.y) / 2) * this.canvas.clientHeight);
    }

    // ---- drawing ----

    private resize() {
        const { clientWidth: w, clientHeight: h } = this.canvas;
        if (w === 0 || h === 0) return;
        this.renderer.setSize(w, h, false);
        this.camera.aspect = w / h;
        this.camera.updateProjectionMatrix();
        if (this.untouched) this.lookFromAside();
        this.draw();
    }

    // Cubes, or balls if those take too long. One frame may be slow for other
    // reasons.
    private chooseShape() {
        const balls = Math.min(...this.took) > (this.turning ? slow : tooSlow);
        if (balls === this.balls.object.visible) return;
        this.balls.object.visible = balls;
        this.cubes.object.visible = !balls;
        this.draw();
    }

    draw() {
        this.writeSoon();
        if (this.due) return;
        this.due = true;
        requestAnimationFrame(() => {
            this.due = false;
            this.renderer.render(this.scene, this.camera);
            if (this.cubes.object.visible && this.cubes.n > 0 && !document.hidden) this.clock();
        });
    }

    // How long it takes until a frame is done, one at a time.
    private clock() {
        const gl = this.renderer.getContext() as WebGL2RenderingContext;
        const fence = this.timing ? null : gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
        if (!fence) return;
        const begun = performance.now();
        const look = () => {
            if (!document.hidden && gl.getSyncParameter(fence, gl.SYNC_STATUS) !== gl.SIGNALED) return void setTimeout(look, 20);
            this.timing = false;
            gl.deleteSync(fence);
            if (document.hidden) return;
            this.took = [this.took[1] ?? 0, performance.now() - begun];
            this.chooseShape();
        };
        this.timing = true;
        setTimeout(look, 0);
    }
}

// As many ports as the cubes of a pod have.
function portsOf(machine: Machine): number {
    return machine.apart ? machine.sides.slice(machine.apart).reduce((n, side) => n + (2 * machine.nodes) / side, 0) : 0;
}

// A bow from one point to another, as pairs of points, upwards or, where it goes
// up itself, to the front.
function arc(from: Vector3, to: Vector3): number[] {
    const steps = 12, ends: number[] = [], way = to.clone().sub(from), high = 0.25 * way.length();
    const lift = Math.abs(way.y) > Math.abs(way.x) + Math.abs(way.z) ? new Vector3(0, 0, high) : new Vector3(0, high, 0);
    const point = (i: number) => from.clone().addScaledVector(way, i / steps).addScaledVector(lift, Math.sin((Math.PI * i) / steps)).toArray();
    for (let i = 0; i < steps; i++) ends.push(...point(i), ...point(i + 1));
    return ends;
}

// Nodes with two solid ones before them whichever way one looks along the axes.
function inside(machine: Machine, solid: Uint8Array): Uint8Array {
    let of = solid;
    for (let layer = 0; layer < 2; layer++) {
        const within = of.slice();
        for (const dim of spaceOf(machine)) {
            const { stride, side } = sideAlong(machine, dim);
            for (let id = 0; id < machine.nodes; id++) {
                const c = Math.floor(id / stride) % side;
                if (c === 0 || c === side - 1 || !of[id - stride] || !of[id + stride]) within[id] = 0;
            }
        }
        of = within;
    }
    return of;
}

// Lines between these points, two by two.
function setLines(lines: LineSegments<BufferGeometry, LineBasicMaterial>, ends: number[], colour: number, colours?: number[]) {
    lines.visible = ends.length > 0;
    lines.geometry.dispose();
    lines.geometry = new BufferGeometry();
    lines.geometry.setAttribute("position", new BufferAttribute(new Float32Array(ends), 3));
    if (colours) lines.geometry.setAttribute("color", new BufferAttribute(new Float32Array(colours), 3));
    lines.material.color.set(colour);
}

// Whether as many nodes fit between the outermost ones.
function isBox(machine: Machine, nodes: number[]): boolean {
    let volume = 1;
    machine.sides.forEach((side, dim) => {
        const { stride } = sideAlong(machine, dim), seen = new Set(nodes.map(id => Math.floor(id / stride) % side));
        volume *= seen.size;
    });
    return volume === nodes.length;
}

// How far along a way a cube is met, or Infinity.
function meets(from: Vector3, way: Vector3, at: Float32Array, k: number, half: number): number {
    const x = (at[k] ?? 0) - from.x, y = (at[k + 1] ?? 0) - from.y, z = (at[k + 2] ?? 0) - from.z;
    const along = x * way.x + y * way.y + z * way.z;
    if (along < 0 || x * x + y * y + z * z - along * along > 3 * half * half) return Infinity; // past the ball around it
    let near = 0, far = Infinity;
    for (const [p, d] of [[x, way.x], [y, way.y], [z, way.z]] as const) {
        const a = (p - half) / d, b = (p + half) / d;
        near = Math.max(near, Math.min(a, b));
        far = Math.min(far, Math.max(a, b));
    }
    return near <= far ? near : Infinity;
}
