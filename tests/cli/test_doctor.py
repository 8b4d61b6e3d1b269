# SPDX-License-Identifier: BSD-3-Clause
"""`weft doctor` reports what is there, and finds what the environment points to."""

import json
import os
import shutil
from pathlib import Path

from command_line import answer, json_answer, refusal

from weft import probes
from weft.device import device_here
from weft.verbs import doctor


def fake_library(folder: Path, host: str) -> Path:
    library = folder / host / "libweft.so"
    library.parent.mkdir(parents=True)
    library.touch()
    return library


def test_names_the_machine_and_its_abilities():
    facts = json_answer("doctor")
    assert facts["machine"]["cores"] == len(os.sched_getaffinity(0))
    assert set(facts["abilities"]) == {"shared memory", "single copy (CMA)", "BPF", "perf", "virtual hosts"}
    assert facts["abilities"]["shared memory"]["works"] == os.access("/dev/shm", os.W_OK)
    assert "ctypes" in facts["beyond_reach"]


def test_an_ability_that_is_missing_says_why(monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    works, why = probes.shared_memory()
    assert not works
    assert why.startswith("/dev/shm is not writable")
    works, why = probes.perf()
    assert not works
    assert "not installed" in why or "no performance events" in why


def test_reports_what_the_probes_find(monkeypatch, capsys):
    found = {"flight": (False, "no wings"), "speech": (True, "a tongue")}
    monkeypatch.setattr(probes, "ALL", {name: lambda one=one: one for name, one in found.items()})
    doctor.run(as_json=True)
    abilities = json.loads(capsys.readouterr().out)["abilities"]
    assert abilities == {"flight": {"works": False, "why": "no wings"}, "speech": {"works": True, "why": "a tongue"}}


def test_finds_every_mpi_that_has_a_launcher():
    found = {host["name"]: host for host in json_answer("doctor")["mpi"]}
    for name in ("openmpi", "mpich"):
        if shutil.which(f"mpiexec.{name}"):
            assert found[name]["version"][0].isdigit()
            assert found[name]["mpi_library"]
            assert found[name]["progress"]


def test_libraries_come_from_the_folder_that_the_environment_names(tmp_path: Path):
    library = fake_library(tmp_path, "mpich")
    facts = json_answer("doctor", WEFT_LIBRARY_DIR=str(tmp_path))
    libraries = {host["name"]: host["library"] for host in facts["mpi"]}
    assert libraries.get("openmpi") is None
    if "mpich" in libraries:
        assert libraries["mpich"] == str(library)
        assert facts["default_mpi"] == "mpich", "the first one that Weft is built for"
    assert facts["environment"]["WEFT_LIBRARY_DIR"] == str(tmp_path)


def test_a_folder_that_does_not_exist_is_said(tmp_path: Path):
    said = refusal("doctor", WEFT_LIBRARY_DIR=str(tmp_path / "nothing"))
    assert "WEFT_LIBRARY_DIR" in said
    assert "is not a folder" in said


def test_names_libfabric_and_the_provider_that_would_be_used():
    found = json_answer("doctor", WEFT_WIRE="fabric:tcp", WEFT_WIRE_INTERFACE="lo")["fabric"]
    if not found["version"]:
        assert "libfabric" in found["problem"]
        return
    assert found["chosen"].startswith("tcp"), found["problem"]
    assert any(one["name"] == found["chosen"] and not one["trouble"] for one in found["providers"])
    said = answer("doctor", WEFT_WIRE="fabric:tcp", WEFT_WIRE_INTERFACE="lo", columns=300)
    assert found["version"] in said
    assert f"WEFT_WIRE=fabric uses {found['chosen']}" in said


def test_says_which_provider_is_not_there():
    found = json_answer("doctor", WEFT_WIRE="fabric:weft-none")["fabric"]
    assert not found["chosen"]
    assert "libfabric" in found["problem"]


def test_warns_of_a_version_that_is_known_to_be_bad(capsys):
    doctor.show_fabric(
        {"version": "1.18.0", "problem": "", "known_bad": "it spins", "providers": [], "chosen": "tcp;ofi_rxm"}
    )
    assert "it spins" in capsys.readouterr().out


def test_shows_the_last_messages_of_the_library(tmp_path: Path):
    log = tmp_path / "weft.log"
    log.write_text("rank 0: something worth knowing\n")
    assert "rank 0: something worth knowing" in answer("doctor", WEFT_LOG=str(log))


def test_works_with_markup_in_paths(tmp_path: Path):
    folder = tmp_path / "[bold]odd[/bold]"
    fake_library(folder, "openmpi")
    assert "[bold]odd[/bold]" in answer("doctor", WEFT_LIBRARY_DIR=str(folder), columns=300)


def test_paths_are_never_broken(tmp_path: Path):
    folder = tmp_path.joinpath(*["a-long-name-of-a-folder"] * 5)
    library = fake_library(folder, "openmpi")
    file = folder / "tuning.txt"
    file.write_text("WEFT_RADIX = 3\n")
    lines = answer("doctor", columns=80, WEFT_LIBRARY_DIR=str(folder), WEFT_TUNING_FILE=str(file)).splitlines()
    assert any(line.endswith(f" {library}") for line in lines)
    assert any(line.split() == ["WEFT_RADIX", "3", f"{file}:1"] for line in lines)


def test_shows_the_settings_in_effect_and_where_they_come_from(tmp_path: Path):
    file = tmp_path / "tuning.txt"
    file.write_text("WEFT_NODE_SLOTS = 32\nWEFT_RADIX = 3\n")
    facts = json_answer("doctor", WEFT_TUNING_FILE=str(file), WEFT_RADIX="4")
    found = {setting["name"]: (setting["value"], setting["from"]) for setting in facts["settings"]}
    assert found["WEFT_NODE_SLOTS"] == ("32", f"{file}:1")
    assert found["WEFT_RADIX"] == ("4", "environment")
    assert found["WEFT_HIERARCHY"] == ("node", "default")
    assert "WEFT_NODE_SLOTS" in answer("doctor", WEFT_TUNING_FILE=str(file))


def test_says_which_setting_makes_no_sense():
    facts = json_answer("doctor", WEFT_RADIX="1")
    assert "WEFT_RADIX=1 is not understood" in facts["settings_problem"]
    assert "WEFT_RADIX=1 is not understood" in answer("doctor", WEFT_RADIX="1")
    assert "device             unknown: WEFT_RADIX=1" in answer("doctor", WEFT_RADIX="1")


def test_says_who_would_move_operations_and_what_waking_agents_costs():
    device = json_answer("doctor")["device"]
    cores = len(os.sched_getaffinity(0))
    assert (device["name"], device["from"]) == ("none", "default")
    assert (device["cores"], device["ranks_with_a_core_to_spare"]) == (cores, cores - 1)
    assert device["wake_us"] > 0
    text = answer("doctor", WEFT_DEVICE="agent")
    assert "agent (environment): a thread of each process" in text
    assert "waking an agent takes" in text
    assert "less than 512K bytes are left to the ranks" in text


def test_the_device_may_come_from_the_tuning_file_and_agents_may_be_asked_to_copy(tmp_path: Path):
    file = tmp_path / "tuning.txt"
    file.write_text("WEFT_DEVICE = agent\n")
    device = json_answer("doctor", WEFT_TUNING_FILE=str(file), WEFT_AGENT_BYTES="64K")["device"]
    assert (device["name"], device["from"]) == ("agent", f"{file}:1")
    assert (device["agent_bytes"], device["copies_in_a_crowd"]) == (64 << 10, True)
    assert any("done by agents all the same" in line for line in device["says"])


def test_one_core_has_none_to_spare():
    settings = [
        {"name": "WEFT_DEVICE", "value": "none", "from": "default"},
        {"name": "WEFT_AGENT_BYTES", "value": "512K", "from": "default"},
    ]
    one, four = (" ".join(device_here(settings, cores, 5000)["says"]) for cores in (1, 4))
    assert "1 core usable: none to spare" in one
    assert "4 cores usable: one is to spare for agents with up to 3 ranks" in four
    assert "waking an agent takes 5.0 us here (median of 200)" in four
