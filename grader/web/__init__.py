"""The page: practice in the browser, on this machine only. It needs the extra `web` (NiceGUI)."""
