"""What `doctor` found, as text."""

from typing import Any

from rich.text import Text


def examination_text(found: dict[str, Any]) -> Text:
    """Walls first, then what byheart runs on."""
    lines = [Text("Around an answer", style="bold")]
    missing: dict[str, list[str]] = {}
    for wall in found["walls"]:
        word, style = ("stands ", "green") if wall["stands"] else ("MISSING", "bold red")
        if wall["instead"]:
            word, style = f"{'none':<7}", "yellow"
        lines.append(Text(f"  {wall['name']:<10}").append(word, style=style).append(f"  {wall['does']}"))
        if not wall["stands"]:
            missing.setdefault(wall["needs"], []).append(wall["name"])
    for needs, names in missing.items():
        lines.append(Text(f"  {', '.join(names)}: needs {needs}"))
    if any(not wall["stands"] and not wall["instead"] for wall in found["walls"]):
        lines.append(Text("  Where walls are missing, the audit hook refuses what it hears of: grade nobody"))
        lines.append(Text("  else's files here without a container or a virtual machine."))
    lines += [Text(), Text("Runs on", style="bold"), _line("system", found["platform"])]
    lines.append(_line("python", f"{found['python']['version']}  {found['python']['path']}"))
    lines += [_line(name, found[name] or "is not installed") for name in ("torch", "numpy")]
    lines += [Text(), Text("Folders", style="bold")]
    for name in ("workspace", "progress", "pages", "cache"):
        lines.append(_line(name, f"{found[name]['path']}  {_size(found[name]['bytes'])}"))
    return Text("\n").join(lines)


def _line(name: str, value: str) -> Text:
    return Text(f"  {name:<10}{value}")


def _size(count: int) -> str:
    return f"{count / 2**20:.1f} MiB" if count else "empty"
