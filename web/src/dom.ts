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

export function link(to: string, ...children: Child[]): HTMLAnchorElement {
    return el("a", { href: to }, ...children);
}

// The head of a table: names of columns, with classes. A column of bars or buttons
// has no name.
export function rows(columns: [string, string][]): HTMLElement {
    return el("thead", {}, el("tr", {}, ...columns.map(([name, kind]) => (name ? el("th", { scope: "col", class: kind }, name) : el("td", { class: kind })))));
}

// A table that scrolls by itself.
export function table(label: string, columns: [string, string][], body: Child[][]): HTMLElement {
    return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Table of ${label}` }, el("table", {}, rows(columns),
        el("tbody", {}, ...body.map(cells => el("tr", {}, ...cells.map((cell, i) => el("td", { class: columns[i]?.[1] ?? "" }, cell)))),
            body.length ? null : el("tr", {}, el("td", { colspan: `${columns.length}` }, "None.")))));
}

export function facts(pairs: [string, string | undefined][]): HTMLElement {
    const list = el("dl");
    for (const [name, value] of pairs) if (value) list.append(el("dt", {}, name), el("dd", {}, value));
    return list;
}

// A field of a form: a text, or one of some.
export function field(name: string, label: string, attributes: Record<string, string | boolean> = {}, choices?: string[]): HTMLElement {
    return el("label", { class: "field" }, el("span", {}, label), choices
        ? el("select", { name, ...attributes }, ...choices.map(value => el("option", { value }, value || "any")))
        : el("input", { name, autocomplete: "off", ...attributes }));
}

// A form whose values go to `done`.
export function formOf(text: string, fields: HTMLElement[], done: (values: Record<string, string>) => Promise<unknown> | void): HTMLFormElement {
    const form: HTMLFormElement = el("form", { class: "fields", submit: event => {
        event.preventDefault();
        void done(Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, `${value as string}`.trim()])));
    } }, ...fields, el("button", {}, text));
    return form;
}

// Light may become dark while the page is open.
export function onScheme(act: () => void) {
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", act);
}

// The style of the axes of a plot; colours are asked for whenever it is drawn.
export function axisStyle() {
    const colour = (name: string) => () => getComputedStyle(document.body).getPropertyValue(name);
    return { stroke: colour("--ink"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 } };
}
