"""The same sources give the same bytes, wherever and whenever they are built."""

from rebuilding import contents, differing_bytes, install, install_from


def test_another_folder_gives_the_same_bytes(root, build, tmp_path):
    """All that is installed: libraries, program, headers, and what tells other builds where they are."""
    install(build, tmp_path / "first")
    first = contents(tmp_path / "first")
    names = {name.rsplit("/", 1)[-1] for name in first}
    assert {"libmixboost.so", "libmixboost.a", "libmixboost-predict.a", "mixboost", "mixboost.pc"} <= names
    assert differing_bytes(first, contents(install_from(root, tmp_path / "another"))) == {}


def test_differences_are_seen(tmp_path):
    for name, text in (("first", "abc"), ("second", "abXYZ")):
        (tmp_path / name / "folder").mkdir(parents=True)
        (tmp_path / name / "folder" / "file").write_text(text)
        (tmp_path / name / "same").write_text("same")
        (tmp_path / name / "link").symlink_to(f"../{name}")
    (tmp_path / "first" / "empty").touch()
    found = differing_bytes(contents(tmp_path / "first"), contents(tmp_path / "second"))
    assert found == {"folder/file": 3, "link": 6, "empty": 1}
