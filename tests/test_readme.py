"""What the README shows is what the commands print."""

import doctest
import importlib.util
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def readme_output():
    spec = importlib.util.spec_from_file_location("readme_output", ROOT / "scripts" / "readme_output.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_shown_output_is_real():
    script = readme_output()
    blocks = script.BLOCK.findall(README)
    assert len(blocks) == README.count("```console") >= 3
    for command, output in blocks:
        assert script.without_seconds(script.printed(command)) == script.without_seconds(output), command


def test_a_changed_output_is_noticed():
    script = readme_output()
    changed = README.replace("989", "988", 1)
    assert script.without_seconds(script.updated(changed)) == script.without_seconds(README) != changed


def test_python_examples_run():
    examples = "\n".join(re.findall(r"```pycon\n(.*?)```", README, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(examples, {}, "README", None, 0)
    assert len(test.examples) >= 4
    assert doctest.DocTestRunner().run(test).failed == 0


def test_linked_files_exist():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
