"""Bars as SVG, by the standard library alone."""
from xml.sax.saxutils import escape

STYLE = """<style>
text { font: 13px system-ui, sans-serif; fill: #1f2933 } .bar { fill: #3b7dd8 } .other { fill: #b8c4d0 }
.mark { stroke: #c2410c; stroke-width: 2 } .faint { fill: #616e7c }
@media (prefers-color-scheme: dark) { text { fill: #e4e7eb } .bar { fill: #6ba6f5 } .other { fill: #52606d } .faint { fill: #9aa5b1 } }
</style>"""


def bars(title, rows, unit):
    """Horizontal bars. `rows` are (label, value, is ours, mark or None); a mark is a line, such as a bar to reach."""
    largest = max([value for _, value, _, _ in rows] + [mark for _, _, _, mark in rows if mark] + [1e-9])
    left, width, height = 330, 380, 26
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 110} {44 + height * len(rows)}" '
             f'role="img" aria-label="{escape(title)}">', STYLE,
             f'<text x="0" y="18" font-weight="600">{escape(title)}</text>']
    for number, (label, value, is_ours, mark) in enumerate(rows):
        top = 34 + number * height
        length = max(1, value / largest * width)
        parts.append(f'<text x="{left - 10}" y="{top + 14}" text-anchor="end">{escape(label)}</text>')
        parts.append(f'<rect class="{"bar" if is_ours else "other"}" x="{left}" y="{top}" width="{length:.1f}" '
                     f'height="{height - 8}" rx="2"/>')
        if mark:
            place = left + mark / largest * width
            parts.append(f'<line class="mark" x1="{place:.1f}" x2="{place:.1f}" y1="{top - 2}" y2="{top + height - 6}"/>')
        parts.append(f'<text class="faint" x="{left + length + 8:.1f}" y="{top + 14}">{shown(value)} {escape(unit)}</text>')
    return "\n".join(parts + ["</svg>", ""])


def shown(value):
    """A figure with as many digits as it deserves."""
    if value >= 1000:
        return f"{value:,.0f}"
    if value >= 100:
        return f"{value:.0f}"
    if value >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}"
