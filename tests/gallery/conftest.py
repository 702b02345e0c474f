"""Tests of one gallery system follow one another, so that they share its runs."""


def pytest_collection_modifyitems(items):
    """Order the tests of `test_gallery` by system; all others stay where they are."""
    ours = [k for k, item in enumerate(items) if item.path.name == "test_gallery.py" and hasattr(item, "callspec")]
    ordered = sorted((items[k] for k in ours), key=lambda item: item.callspec.params.get("name", ""))
    for k, item in zip(ours, ordered, strict=True):
        items[k] = item
