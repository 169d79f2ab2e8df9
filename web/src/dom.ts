// Elements in one line.

type Child = Node | string | null | undefined | false;

export function el<K extends keyof HTMLElementTagNameMap>(
    tag: K, attributes: Record<string, string | boolean | ((event: Event) => void)> = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === "function") made.addEventListener(name, value);
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
