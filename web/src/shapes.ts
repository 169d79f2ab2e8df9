// Many things of one shape, drawn by one call. They are put one after the
// other, from the beginning each time.
import {
    BufferAttribute, BufferGeometry, InstancedBufferAttribute, InstancedMesh, MeshLambertMaterial, Points, PointsMaterial,
    type Color, type Material, type PerspectiveCamera,
} from "three";

// Part of the memory is sent to the graphics processor.
function send(attribute: BufferAttribute, n: number) {
    attribute.clearUpdateRanges();
    attribute.addUpdateRange(0, n * attribute.itemSize);
    attribute.needsUpdate = true;
}

function putColour(into: Float32Array, k: number, colour: Color) {
    into[k] = colour.r;
    into[k + 1] = colour.g;
    into[k + 2] = colour.b;
}

export class Solids {
    readonly object: InstancedMesh<BufferGeometry, Material>;
    private readonly places: Float32Array; // matrices, by columns
    private readonly colours: Float32Array;
    n = 0;

    constructor(shape: BufferGeometry, most: number, material: Material = new MeshLambertMaterial()) {
        this.object = new InstancedMesh(shape, material, most);
        this.object.frustumCulled = false;
        this.places = this.object.instanceMatrix.array as Float32Array;
        this.colours = new Float32Array(3 * most);
        this.object.instanceColor = new InstancedBufferAttribute(this.colours, 3);
    }

    begin() {
        this.n = 0;
    }

    put(at: Float32Array, id: number, large: number, colour: Color) {
        const k = 16 * this.n;
        this.places[k] = this.places[k + 5] = this.places[k + 10] = large;
        for (let i = 0; i < 3; i++) this.places[k + 12 + i] = at[3 * id + i] ?? 0;
        this.places[k + 15] = 1;
        putColour(this.colours, 3 * this.n++, colour);
    }

    // The last one gets another height along an axis.
    flatten(axis: number, high: number) {
        this.places[16 * (this.n - 1) + 5 * axis] = high;
    }

    end() {
        this.object.count = this.n;
        send(this.object.instanceMatrix, this.n);
        if (this.object.instanceColor) send(this.object.instanceColor, this.n);
    }
}

export class Balls {
    readonly object: Points<BufferGeometry, PointsMaterial>;
    private readonly attributes: [BufferAttribute, BufferAttribute, BufferAttribute];
    private readonly places: Float32Array;
    private readonly colours: Float32Array;
    private readonly sizes: Float32Array;
    n = 0;

    constructor(camera: PerspectiveCamera, most: number) {
        this.places = new Float32Array(3 * most);
        this.colours = new Float32Array(3 * most);
        this.sizes = new Float32Array(most);
        this.attributes = [new BufferAttribute(this.places, 3), new BufferAttribute(this.colours, 3), new BufferAttribute(this.sizes, 1)];
        const shape = new BufferGeometry();
        ["position", "color", "large"].forEach((name, i) => shape.setAttribute(name, this.attributes[i as 0 | 1 | 2]));
        // A size of 1 is as high as a cube of 1 at that distance.
        const material = new PointsMaterial({ vertexColors: true, size: 1 / Math.tan((camera.fov * Math.PI) / 360) });
        material.onBeforeCompile = shader => {
            shader.vertexShader = `attribute float large;\n${shader.vertexShader.replace("gl_PointSize = size;", "gl_PointSize = size * large;")}`;
            shader.fragmentShader = shader.fragmentShader.replace("void main() {", "void main() {\nif (length(gl_PointCoord - 0.5) > 0.5) discard;");
        };
        this.object = new Points(shape, material);
        this.object.frustumCulled = false;
    }

    begin() {
        this.n = 0;
    }

    put(at: Float32Array, id: number, large: number, colour: Color) {
        for (let i = 0; i < 3; i++) this.places[3 * this.n + i] = at[3 * id + i] ?? 0;
        this.sizes[this.n] = large;
        putColour(this.colours, 3 * this.n++, colour);
    }

    end() {
        this.object.geometry.setDrawRange(0, this.n);
        for (const attribute of this.attributes) send(attribute, this.n);
    }
}
