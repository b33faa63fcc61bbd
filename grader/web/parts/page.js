// What is typed and not yet in the file is kept in this browser, in case the server or the page goes away.
window.byheart = {
  base: null,
  key: null,
  mine: false,
  id: null,
  text(id) {
    const editor = getElement(id)?.editor;
    return editor ? editor.state.doc.toString() : null;
  },
  keep(id) {
    const text = this.text(id);
    if (text === null || this.key === null) return;
    if (text !== this.base) {
      localStorage.setItem(this.key, JSON.stringify({ text, base: this.base }));
      this.mine = true;
    } else if (this.mine) {
      localStorage.removeItem(this.key);
      this.mine = false;
    }
  },
  kept(key) {
    try {
      return JSON.parse(localStorage.getItem(key));
    } catch {
      return null;
    }
  },
  forget() {
    localStorage.removeItem(this.key);
  },
  // The file's text in the place of the editor's, if that is still what the server takes it for. What is equal on
  // both sides stays, and the cursor in it.
  take(id, known, text) {
    const view = getElement(id)?.editor;
    if (!view || this.text(id) !== known) return;
    const isHalf = (unit) => unit >= "\udc00" && unit <= "\udfff"; // the second of a pair
    const most = Math.min(known.length, text.length);
    let same = 0;
    while (same < most && known[same] === text[same]) same++;
    if (isHalf(known[same])) same--;
    let tail = 0;
    while (tail < most - same && known.at(-1 - tail) === text.at(-1 - tail)) tail++;
    if (tail && isHalf(known.at(-tail))) tail--;
    this.base = text;
    const insert = text.slice(same, text.length - tail);
    view.dispatch({ changes: { from: same, to: known.length - tail, insert } });
  },
  // Lines of the file, and what is said of them, if the file's text is what is seen.
  mark(id, lines, said) {
    const element = getElement(id);
    const isSeen = this.text(id) === this.base;
    element?.setDecorations(isSeen ? lines : []);
    element?.setLineTooltips(isSeen ? said : {});
  },
  // The theme's colours, mixed with ink: so that each has contrast enough, on marked lines too.
  async paint(id) {
    const element = getElement(id);
    const view = await element?.editorPromise;
    const { HighlightStyle, syntaxHighlighting } = await import("nicegui-codemirror");
    if (!view) return;
    const theme = this.dark.matches ? "githubDark" : "githubLight";
    const readable = (element.themes[`${theme}Style`] ?? []).map((style) =>
      style.color ? { ...style, color: `color-mix(in srgb, ${style.color} 70%, var(--ink))` } : style,
    );
    const colours = [syntaxHighlighting(HighlightStyle.define(readable)), element.themes[theme]];
    view.dispatch({ effects: element.themeConfig.reconfigure(colours) });
  },
  dark: matchMedia("(prefers-color-scheme: dark)"),
  // The keys of the editor's buttons, wherever the focus is; in the editor they are its own.
  press(event) {
    const isPlain = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    const button = document.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
    if (!isPlain || !button || event.target.closest?.(".cm-editor")) return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat) button.click();
  },
  // To a line of the editor, with the cursor.
  show(line) {
    const element = getElement(this.id);
    const doc = element?.editor?.state.doc;
    if (!doc || line > doc.lines) return;
    element.editor.dispatch({ selection: { anchor: doc.line(line).from } });
    element.editor.focus();
    element.revealLine(line);
  },
  // The focus goes there if nothing has it: what had it is gone, or the page is new.
  focus(element) {
    if (document.activeElement === document.body) element?.focus();
  },
  // Into the editor, unless the screen is touched: a keyboard would come up and cover the page.
  write() {
    if (!matchMedia("(pointer: coarse)").matches) this.focus(getElement(this.id)?.editor);
  },
  // Keeps from now on, in one step with giving what was kept before: no answer of the server is waited for.
  begin(id, key, label, base) {
    const before = this.kept(key);
    if (this.id === null) {
      addEventListener("keydown", (event) => this.press(event), { capture: true });
      addEventListener("click", (event) => {
        const line = event.target.closest?.("[data-line]")?.dataset.line;
        if (line) this.show(Number(line));
      });
    }
    this.id = id;
    this.key = key;
    this.base = base;
    setInterval(() => this.keep(id), 300);
    addEventListener("pagehide", () => this.keep(id));
    this.dark.addEventListener("change", () => this.paint(id));
    this.paint(id);
    getElement(id)?.editorPromise?.then((view) => view.contentDOM.setAttribute("aria-label", label));
    return before;
  },
};
