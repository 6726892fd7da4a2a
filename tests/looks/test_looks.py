"""Faults that `faults.js` finds in a page, and what is like them and none."""

from __future__ import annotations

from playwright.sync_api import Browser

from looks.looking import FAULTS

BROKEN = """<!doctype html><meta name="viewport" content="width=device-width"><body style="font: 16px monospace">
<div style="width: 900px">wide</div>
<p style="width: 80px; overflow: hidden; white-space: nowrap">cut without a word</p>
<p style="width: 80px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis" title="told">cut, and told</p>
<p style="width: 80px; overflow: auto; white-space: nowrap">what scrolls is not cut</p>
<p>below</p><p style="margin-top: -36px">above</p>
<p style="color: #999">pale</p><p style="background: #555"><span style="color: #999c">paler</span></p>
<p style="color: #888; font-size: 24px">A headline may be paler</p>
<button disabled style="height: 44px">And what is not available</button>
<b id="one">1</b> <b id="two">2</b> <b id="two">3</b>
<button style="width: 20px; height: 20px; padding: 0">S</button>
<p>A link <a href="#">in a text</a> may be small.</p>
<div style="position: relative; width: 200px"><button style="width: 200px; height: 60px">Hidden</button>
<div style="position: absolute; inset: 0; background: red"></div></div>"""
EXPECTED = {
    "wide: 908 in 390",
    'cut: p "cut without a word" (cut without a word)',
    'overlap: "above" and "below"',
    'contrast 2.8: p "pale" (pale)',
    'contrast 2.2: span "paler" (paler)',
    'small: button "S" 20×20',
    'covered: button "Hidden" by div ""',
    "twice: #two",
}


def test_what_is_wrong_is_found(browser: Browser) -> None:
    """One fault of each kind, and beside each what is like it and none."""
    context = browser.new_context(has_touch=True, is_mobile=True, viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.set_content(BROKEN)
    assert set(page.evaluate(FAULTS)) == EXPECTED
    assert set(page.evaluate(FAULTS, True)) == {fault for fault in EXPECTED if fault.startswith("contrast")}
    context.close()
