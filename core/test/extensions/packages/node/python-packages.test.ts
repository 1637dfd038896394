import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { environmentIn, type Installed, openPython, sitePath } from "./python-stage.js";
import { recordedPackages } from "./recorded-packages.js";
import { firstLine, type SourcesStage } from "./sources-stage.js";

interface RecordedEnvironment {
  /** By the name of their `.dist-info`. */
  readonly distributions: Readonly<Record<string, Installed>>;
  /** The distribution and version that Python itself gives for each module. */
  readonly modules: Readonly<Record<string, string>>;
  readonly locks: Readonly<Record<"uv.lock" | "pylock.toml" | "requirements.txt" | "pyproject.toml", string>>;
  readonly pipenv: Readonly<Record<"Pipfile" | "Pipfile.lock", string>>;
}

/** Recorded Poetry project with the versions that Poetry installs on Linux with Python 3.11. Its lock has no hashes. */
interface RecordedLock {
  readonly "pyproject.toml": string;
  readonly "poetry.lock": string;
  readonly versions: Readonly<Record<string, string>>;
}

const recorded = recordedPackages("python") as RecordedEnvironment;
const lib: Installed = { name: "Lib", version: "1.2.0", files: ["lib/__init__.py"] };
const environment = (folder: string, version = "1.2.0") =>
  environmentIn(folder, { [`lib-${version}.dist-info`]: { ...lib, version } });

describe("packages that a file of Python imports", function () {
  this.timeout(120_000);

  for (const lock of ["uv.lock", "pylock.toml", "requirements.txt"] as const) {
    it(`come at the version that Python itself gives, all of a recorded environment with ${lock}, offline`, async () => {
      const { distributions, modules, locks } = recorded;
      await using stage = await openPython({
        "pyproject.toml": locks["pyproject.toml"],
        [lock]: locks[lock],
        "src/app.py": "",
        ...environmentIn(".venv", distributions),
      });
      const names = Object.keys(modules);
      assert.ok(names.length > 90);
      const answers: Record<string, string> = {};
      const without: string[] = [];
      for (const name of names) {
        const answer = await stage.call("package_sources", { name, from: "src/app.py" });
        answers[name] = firstLine(answer).replace(" (python)", "");
        if (!answer.includes(`/stage/${lock} locks the same version`)) without.push(name);
        assert.doesNotMatch(answer, /^Drift/m, name);
      }
      assert.deepEqual(answers, modules);
      assert.deepEqual(without, []);
    });
  }

  it("are, where nothing is installed, at the version that Poetry would install here, all of a lock that it wrote", async () => {
    const { versions, ...files } = recordedPackages("poetry") as RecordedLock;
    await using stage = await openPython({ ...files, "src/app.py": "", ...environmentIn(".venv", {}) });
    const names = Object.keys(versions);
    assert.ok(names.length > 80);
    const answers: Record<string, string | undefined> = {};
    for (const name of names) {
      const answer = await stage.call("package_sources", { name, from: "src/app.py" });
      answers[name] = /poetry\.lock locks ([^\s;]+)/.exec(answer)?.[1] ?? answer;
    }
    assert.deepEqual(answers, versions);
  });

  it("come from the environment of the importer, where projects of one folder have several", async () => {
    await using stage = await openPython({
      "a/pyproject.toml": "",
      "a/app/main.py": "",
      ...environment("a/.venv", "1.0.0"),
      "b/requirements.txt": "",
      ...environment("b/my-environment", "2.0.0"),
      "c/main.py": "",
      ...environment("active", "3.0.0"),
    });
    const version = async (from: string, used: SourcesStage = stage) =>
      firstLine(await used.call("package_sources", { name: "lib", from }));
    assert.equal(await version("a/app/main.py"), "Lib 1.0.0 (python)");
    assert.equal(await version("b/main.py"), "Lib 2.0.0 (python)");
    assert.match(await version("c/main.py"), /^lib \(python\) is not installed here/);
    assert.equal(await version(`a/.venv/${sitePath}/lib/__init__.py`), "Lib 1.0.0 (python)");
  });

  it("come from the active environment where the project has none of its own, and say so", async () => {
    const files = {
      "main.py": "",
      "own/pyproject.toml": "",
      ...environment("own/.venv"),
      ...environment("else/env", "3.0.0"),
    };
    await using stage = await openPython(files, { VIRTUAL_ENV: "/stage/else/env" });
    const active = await stage.call("package_sources", { name: "lib", from: "main.py" });
    assert.match(
      active,
      /^Lib 3\.0\.0 .*\/stage\/else\/env is active \(VIRTUAL_ENV\), and the project has no environment/s,
    );
    const own = await stage.call("package_sources", { name: "lib", from: "own/main.py" });
    assert.match(own, /^Lib 1\.2\.0 .*\/stage\/own\/\.venv is the project's own, not \/stage\/else\/env/s);
  });

  it("come from where pipenv, poetry, pdm and conda keep environments", async () => {
    await using stage = await openPython({
      "pip/Pipfile": recorded.pipenv.Pipfile,
      "pip/Pipfile.lock": recorded.pipenv["Pipfile.lock"],
      "poe/pyproject.toml": `[tool.poetry]\nname = "My Shop"\n`,
      ...environment("elsewhere", "4.0.0"),
      "conda/environment.yml": "name: science\ndependencies:\n  - lib=5\n",
    });
    const short = (text: string) => createHash("sha256").update(text).digest("base64url").slice(0, 8);
    const folder = stage.folder.replaceAll("\\", "/");
    await stage.write({
      "pdm/.pdm-python": `${folder}/elsewhere/bin/python`,
      "home/.conda/environments.txt": `${folder}/home/conda/other\n${folder}/home/conda/science\n`,
      ...environment("home/conda/science", "5.0.0"),
      ...environment(`home/virtualenvs/pip-${short(`${folder}/pip/Pipfile`)}`, "2.0.0"),
      ...environment(`home/poetry/my_shop-${short(`${folder}/poe`)}-py3.11`, "3.0.0"),
    });
    const version = async (from: string) => firstLine(await stage.call("package_sources", { name: "lib", from }));
    assert.equal(await version("pip/main.py"), "Lib 2.0.0 (python)");
    assert.equal(await version("poe/main.py"), "Lib 3.0.0 (python)");
    assert.equal(await version("pdm/main.py"), "Lib 4.0.0 (python)");
    assert.equal(await version("conda/main.py"), "Lib 5.0.0 (python)");
    const requests = await stage.call("package_sources", { name: "requests", from: "pip/main.py" });
    assert.match(requests, /^requests 2\.\d+\.\d+ \(python\) is not installed here.*Pipfile\.lock locks 2\./s);
  });

  it("are told with drift, other versions for other machines, and who asks for them", async () => {
    await using stage = await openPython({
      "pyproject.toml": `[project]\nname = "app"\ndependencies = ["lib[fast]>=1"]\n`,
      "uv.lock": `version = 1
revision = 99

[[package]]
name = "app"
version = "0.1.0"
source = { virtual = "." }
dependencies = [
    { name = "lib", version = "1.3.0", source = { registry = "https://registry.example/simple" }, marker = "python_full_version < '3.12'" },
    { name = "lib", version = "2.0.0", source = { registry = "https://registry.example/simple" }, marker = "python_full_version >= '3.12'" },
]

[[package]]
name = "lib"
version = "1.3.0"
source = { registry = "https://registry.example/simple" }
resolution-markers = ["python_full_version < '3.12'"]

[[package]]
name = "lib"
version = "2.0.0"
source = { registry = "https://registry.example/simple" }
resolution-markers = ["python_full_version >= '3.12'"]
`,
      ...environment(".venv"),
    });
    const answer = await stage.call("package_sources", { name: "lib", from: "main.py" });
    assert.match(answer, /\/stage\/pyproject\.toml requires "lib\[fast\]>=1"/);
    assert.match(answer, /^Drift: \/stage\/uv\.lock locks 1\.3\.0, but 1\.2\.0 is installed/m);
    assert.match(
      answer,
      /^Other versions here: 1\.3\.0 \(for this project\); 2\.0\.0 \(for this project\)$|^Other versions here: 2\.0\.0 \(for this project\)$/m,
    );
  });

  it("are seen as they are after an install, at once", async () => {
    await using stage = await openPython({ "pyproject.toml": "", ...environment(".venv") });
    const servers = stage.servers();
    const version = async () =>
      firstLine(await stage.call("package_sources", { name: "lib", from: "main.py" }, servers));
    assert.equal(await version(), "Lib 1.2.0 (python)");
    const site = join(stage.folder, ".venv", sitePath);
    await rename(join(site, "lib-1.2.0.dist-info"), join(site, "lib-1.10.0.dist-info"));
    await writeFile(join(site, "lib-1.10.0.dist-info", "METADATA"), "Name: Lib\nVersion: 1.10.0\n");
    assert.equal(await version(), "Lib 1.10.0 (python)");
  });

  it("are told apart in namespaces, by the name of a distribution, and as compiled modules", async () => {
    await using stage = await openPython({
      "pyproject.toml": "",
      ...environmentIn(
        ".venv",
        {
          "google_cloud_a-1.0.dist-info": {
            name: "google-cloud-a",
            version: "1.0",
            files: ["google/cloud/a/__init__.py"],
            top: "google\n",
          },
          "google_cloud_b-2.0.dist-info": {
            name: "google-cloud-b",
            version: "2.0",
            files: ["google/cloud/b/__init__.py", "google/cloud/b_types.py"],
            top: "google\n",
          },
          "PyThing-3.0.dist-info": {
            name: "PyThing",
            version: "3.0",
            files: ["thing/__init__.py", "_thing.cpython-311-x86_64-linux-gnu.so"],
          },
          "types_PyThing-3.1.dist-info": { name: "types-PyThing", version: "3.1", files: ["thing-stubs/__init__.pyi"] },
        },
        { "thing-stubs/__init__.pyi": "def f() -> int: ...\n" },
      ),
    });
    const first = async (name: string) => firstLine(await stage.call("package_sources", { name, from: "main.py" }));
    assert.equal(await first("google.cloud.b"), "google-cloud-b 2.0 (python)");
    assert.equal(await first("google.cloud.b_types"), "google-cloud-b 2.0 (python)");
    assert.equal(await first("google.cloud.a.deep"), "google-cloud-a 1.0 (python)");
    assert.equal(await first("Google.Cloud_A"), "google-cloud-a 1.0 (python)");
    assert.equal(await first("_thing"), "PyThing 3.0 (python)");
    const thing = await stage.call("package_sources", { name: "thing", from: "main.py" });
    assert.match(thing, new RegExp(`^Types: types-PyThing 3\\.1 in /stage/\\.venv/${sitePath}/thing-stubs$`, "m"));
    const files = await stage.call("package_sources", { name: "google.cloud.a", from: "main.py" });
    assert.match(files, /^Files: 1 source in google\/cloud\/a\/; 1 docs in google_cloud_a-1\.0\.dist-info\/$/m);
  });

  it("are the sources of editable installations: of .pth files and of finders", async () => {
    const url = (folder: string) => JSON.stringify({ url: `file:///stage/${folder}`, dir_info: { editable: true } });
    await using stage = await openPython({
      "app/pyproject.toml": "",
      "mine/pyproject.toml": "",
      "mine/src/mine/__init__.py": "def f(): ...\n",
      "flat/setup.py": "",
      "flat/flat/__init__.py": "",
    });
    const folder = stage.folder.replaceAll("\\", "/");
    const asFile = (text: string) =>
      text.replace("file:///stage", `file://${folder.startsWith("/") ? "" : "/"}${folder}`);
    await stage.write({
      ...environmentIn(
        "app/.venv",
        {
          "mine-0.1.dist-info": { name: "mine", version: "0.1", files: ["_mine.pth"] },
          "flat-0.2.dist-info": { name: "flat", version: "0.2", files: ["__editable___flat_0_2_finder.py"] },
        },
        {
          "_mine.pth": `import os; raise SystemExit\n${folder}/mine/src\n`,
          "mine-0.1.dist-info/direct_url.json": asFile(url("mine")),
          "__editable___flat_0_2_finder.py": `MAPPING: dict[str, str] = {'flat': '${folder}/flat/flat'}\n`,
          "flat-0.2.dist-info/direct_url.json": asFile(url("flat")),
        },
      ),
    });
    const mine = await stage.call("package_sources", { name: "mine", from: "app/main.py" });
    assert.match(
      mine,
      /^mine 0\.1 \(python\)\nFolder: \/stage\/mine\n"mine" starts at: \/stage\/mine\/src\/mine\/__init__\.py\n/,
    );
    assert.match(mine, /it is an editable installation of \/stage\/mine, not a published version/);
    const flat = await stage.call("package_sources", { name: "flat", from: "app/main.py" });
    assert.match(flat, /^flat 0\.2 \(python\)\nFolder: \/stage\/flat\n/);
  });

  it("are of the standard library, of the interpreter that made the environment", async () => {
    const library = process.platform === "win32" ? "base/Lib" : "base/lib/python3.11";
    await using stage = await openPython({
      "pyproject.toml": "",
      ...environment(".venv"),
      [`${library}/os.py`]: "",
      [`${library}/json/__init__.py`]: "def dumps(obj):\n    '''Serialize.'''\n",
      "base/bin/python3.11": "",
    });
    const config = join(stage.folder, ".venv/pyvenv.cfg");
    await writeFile(
      config,
      `home = ${join(stage.folder, process.platform === "win32" ? "base" : "base/bin")}\nversion = 3.11.7\n`,
    );
    const json = await stage.call("package_sources", { name: "json", from: "main.py" });
    assert.match(json, /^python 3\.11\.7 \(python\)\nFolder: \/stage\/base/);
    assert.match(json, /"json" is in Python's standard library/);
    assert.match(
      await stage.call("package_item", { name: "json", symbol: "dumps", from: "main.py" }),
      /def dumps\(obj\):\n {4}'''Serialize\.'''/,
    );
    assert.match(await stage.call("package_sources", { name: "sys", from: "main.py" }), /built into the interpreter/);
  });

  it("refuses what is no module, and reads nothing that hostile files lead to", async () => {
    await using stage = await openPython({
      "pyproject.toml": "[[[",
      "uv.lock": "\0",
      "poetry.lock": "[[package]]\nname = 3\n",
      "requirements.txt": "lib==1.0 ; (((((\n-r ../../../etc/passwd\n-r requirements.txt\n",
      "own/thing.py": "",
      ...environmentIn(".venv", {
        "evil-1.0.dist-info": { name: "../../etc", version: "1.0", files: ["../../../../secret.py", "/etc/passwd"] },
        "lib-1.0.dist-info": {
          ...lib,
          version: "1.0",
          files: ["lib/__init__.py", "../../../../../../secret/x.py", "/secret/y.py"],
        },
      }),
      "secret/x.py": "SECRET = 1\n",
    });
    for (const name of ["../x", "a/b", "a b", "-flag", "a;b", ".relative"]) {
      assert.match(
        await stage.call("package_sources", { name, from: "main.py" }),
        /isn't a Python module or distribution|is relative/,
        name,
      );
    }
    const found = await stage.call("package_search", { name: "lib", pattern: "SECRET", from: "main.py" });
    assert.match(found, /: 0 lines match in \d+ files/);
    assert.match(
      await stage.call("package_sources", { name: "thing", from: "own/main.py" }),
      /is a module of this project: \/stage\/own\/thing\.py/,
    );
    for (const version of ["--help", "file:..", "git+https://registry.example/x", "1; rm"]) {
      assert.match(
        await stage.call("package_fetch", { name: "lib", version, from: "main.py" }),
        /isn't a version, range or tag/,
        version,
      );
    }
    await mkdir(join(stage.folder, "empty"));
    assert.equal(stage.servers(join(stage.folder, "empty")).length, 0);
  });
});
