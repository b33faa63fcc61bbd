// What is typed and not yet in the file is kept in this browser, in case the server or the page goes away.
window.byheart = {
  base: null,
  key: null,
  mine: false,
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
  // Keeps from now on, in one step with giving what was kept before: no answer of the server is waited for.
  begin(id, key, label, base) {
    const before = this.kept(key);
    this.key = key;
    this.base = base;
    setInterval(() => this.keep(id), 300);
    addEventListener("pagehide", () => this.keep(id));
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const paint = () => getElement(id)?.setTheme(dark.matches ? "githubDark" : "githubLight");
    dark.addEventListener("change", paint);
    getElement(id)?.editorPromise?.then(() => {
      paint();
      getElement(id).editor.contentDOM.setAttribute("aria-label", label);
    });
    return before;
  },
};
