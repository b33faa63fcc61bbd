"""Parts of pages: what stands around them, tabs, the editor, the clock."""
