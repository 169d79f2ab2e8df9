// Utilization and the largest job that could start, since the page was opened.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

const most = 3600;

export class History {
    private readonly data: [number[], number[], number[]] = [[], [], []];
    private readonly plot: uPlot;

    constructor(into: HTMLElement) {
        const style = getComputedStyle(document.body);
        const ink = style.getPropertyValue("--ink"), line = style.getPropertyValue("--line");
        const axis = { stroke: ink, grid: { stroke: line }, ticks: { stroke: line } };
        this.plot = new uPlot({
            width: into.clientWidth || 400,
            height: 170,
            scales: { x: { range: (_, from, to) => [Math.min(from, to - 60), to] }, y: { range: [0, 100] } },
            axes: [axis, { ...axis, label: "%", size: 46 }],
            series: [
                {},
                { label: "busy nodes, %", stroke: "#0072b2", width: 2 },
                { label: "queued jobs (of 100)", stroke: "#d55e00", width: 2, dash: [6, 4] },
            ],
        }, this.data, into);
        new ResizeObserver(() => this.plot.setSize({ width: into.clientWidth, height: 170 })).observe(into);
    }

    add(now: number, busy: number, queued: number) {
        const [t, b, q] = this.data;
        t.push(now);
        b.push(100 * busy);
        q.push(Math.min(100, queued));
        if (t.length > most) for (const list of this.data) list.shift();
        this.plot.setData(this.data);
    }
}
