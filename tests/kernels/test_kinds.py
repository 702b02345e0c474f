"""Functions that choose among kinds: what is written out for them, and what is said of kinds that do not fit."""

import inspect
import sys
from types import ModuleType

import pytest

from kaneflex.kernels import backend, body_dispatch, force_dispatch, joint_dispatch, kinds
from kaneflex.kernels.joints.contract import JointFacts

CHAINS = {"joints": joint_dispatch.CHAINS, "forces": force_dispatch.CHAINS, "bodies": body_dispatch.CHAINS}
PATTERN = '''def speak(I, W, i, z):
    """What body i says."""
    code = I[i]
    if code == 7:
        shout(W)
    elif code == EACH:
        each("prelude")
        say(each(), each("word"))
    else:
        mumble(z)
'''
WRITTEN = '''def speak(I, W, i, z):
    """What body i says."""
    code = I[i]
    if code == 7:
        shout(W)
    elif code == CAT_CODE:
        cat_prelude(z)
        say(cat(), cat_word(i, W))
    elif code == DOG:
        say(dog(I), dog_word())
    else:
        mumble(z)
'''


def kind(name, text, code):
    module = ModuleType(f"zoo.{name}")
    module.FACTS = JointFacts(code, 0, (), (), (), ())
    exec(text, vars(module))
    return module


CAT = kind("cat", "CAT_CODE = 1\ndef cat(): pass\ndef cat_prelude(z): pass\ndef cat_word(i, W): pass", 1)
DOG = kind("dog", "DOG_AGE = 5\nDOG = 2\ndef dog(I): pass\ndef dog_word(): pass", 2)
FISH = kind("fish", "FISH = 3\ndef fish_prelude(): pass", 3)


def test_a_branch_for_each_kind():
    assert kinds.written_out(PATTERN, [CAT, DOG]) == WRITTEN


def test_lines_without_their_function_and_empty_branches_are_left_out():
    written = kinds.written_out(PATTERN, [FISH, kind("plant", "PLANT = 4", 4)])
    assert "    elif code == FISH:\n        fish_prelude()\n    else:\n" in written and "PLANT" not in written
    first = kinds.written_out(PATTERN.replace("    if code == 7:\n        shout(W)\n    elif", "    if"), [CAT, DOG])
    assert "    code = I[i]\n    if code == CAT_CODE:\n" in first and "    elif code == DOG:\n" in first


RATES = '''def joint_rates(I, W, i, q, qdot):
    """q-dot = W(q) w of body i's joint."""
    b = body_row(i)
    code, k, c = I[b + JOINT], I[b + Q0], column_work(I, I[b + U0])
    if code == SPHERICAL:
        spherical_rates(q, k, W, c, qdot)
    elif code == FREE:
        free_rates(q, k, W, c, qdot)
    elif code == SLIDING_BALL:
        sliding_ball_rates(q, k, W, c, qdot)
    else:
        for m in range(I[b + NU]):
            qdot[k + m] = rate(W, c, m)
'''


def test_the_functions_of_joints_are_as_one_would_write_them():
    assert RATES in joint_dispatch.CHAINS.text
    assert inspect.getsource(joint_dispatch.joint_rates) == RATES
    assert joint_dispatch.joint_rates.__code__.co_filename == joint_dispatch.__file__  # which the cache is named after


@pytest.mark.parametrize("folder", CHAINS)
def test_nothing_is_left_to_be_written(folder):
    chains = CHAINS[folder]
    assert "EACH" not in chains.text and "each(" not in chains.text and len(chains.kinds) >= 3
    assert [k.FACTS.code for k in chains.kinds] == sorted(chains.codes)
    for f in backend.kernel_functions(chains.home).values():
        assert "each" not in f.__code__.co_names


def test_every_kind_is_in_the_functions():
    for chains, part in ((CHAINS["joints"], "_pose"), (CHAINS["forces"], "")):
        for one in chains.kinds:
            name = kinds.short_name(one) + part
            if name == "friction":  # is found with the accelerations
                assert "FRICTION" not in chains.text
                continue
            assert chains.text.count(f" == {kinds.constant_of(one)}:\n") >= 1 and f"{name}(" in chains.text


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("LOOSE = 1\ndef loose_pose(q): pass", 1, "revolute and .*loose have the same code, 1|loose and .*revolute"),
        ("LOOSE = 51\ndef loose_pose(q, wind): pass", 51, "joint_pose has no wind"),
        ("OTHER = 51\ndef loose_pose(q): pass", 51, "no constant LOOSE"),
    ],
)
def test_kinds_that_do_not_fit_are_refused(text, code, words):
    chains = joint_dispatch.CHAINS
    before = chains.text, list(chains.kinds)
    with pytest.raises(NameError, match=words):
        chains.add(kind("loose", text, code))
    assert (chains.text, chains.kinds) == before and "loose_pose" not in joint_dispatch.joint_pose.__code__.co_names


def test_a_pattern_that_was_not_written_out_says_so():
    with pytest.raises(TypeError, match="written out"):
        kinds.each("pose")


def test_stages_have_the_letters_of_their_arguments():
    stages = {name: stage.arguments for (_, name), stage in backend._stages.items()}
    assert stages["modal_rates"] == "IPwnww" and stages["variable_mass_inertia"] == "Iwtn"
    assert stages["sliding_friction"] == "IPwnt"


def test_files_of_a_folder_are_found():
    names = [m.__name__.rpartition(".")[2] for m in kinds.modules_in("kaneflex.kernels.joints")]
    assert names == sorted(names) and "revolute" in names and not {"contract", "dispatch"} & set(names)
    assert "kaneflex.kernels.joints.revolute" in sys.modules
