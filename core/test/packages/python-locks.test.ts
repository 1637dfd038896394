import assert from "node:assert/strict";
import {
  includedRequirements,
  parseCondaLock,
  parsePipfileLock,
  parsePixiLock,
  parseRequirements,
} from "../../src/packages/python/other-locks.js";
import type { PythonLock } from "../../src/packages/python/python-lock.js";
import { isSameVersion } from "../../src/packages/python/python-version.js";
import { parseTomlLock } from "../../src/packages/python/toml-locks.js";
import { markerHolds, markerValues } from "../../src/packages/python/markers.js";

function said(lock: PythonLock | undefined): Record<string, readonly string[]> {
  return Object.fromEntries(
    [...(lock?.distributions ?? [])].map(([name, all]) => [
      name,
      all.map(({ version, markers, platform, isLocal }) =>
        [version, ...markers, platform, isLocal === true ? "local" : undefined]
          .filter((one) => one !== undefined)
          .join(" "),
      ),
    ]),
  );
}

describe("lock files of Python", () => {
  it("say versions, markers and who asks: poetry.lock of 2.1, with a table of markers for groups", () => {
    const lock = parseTomlLock(`[[package]]
name = "Py_Yaml"
version = "6.0.3"
groups = ["main", "dev"]
markers = {main = "python_version >= '3.9'", dev = "extra == 'x'"}
files = [{file = "a.whl", hash = "sha256:0"}]

[package.dependencies]
colorama = {version = "*", markers = "sys_platform == 'win32'"}

[[package]]
name = "mine"
version = "0.1.0"
develop = true

[package.source]
type = "directory"
url = "../mine"

[metadata]
lock-version = "2.1"
`);
    assert.deepEqual(said(lock), {
      "py-yaml": ["6.0.3 python_version >= '3.9' extra == 'x'"],
      mine: ["0.1.0 local"],
    });
    assert.deepEqual(lock?.wanted.get("colorama"), [{ by: "Py_Yaml@6.0.3", version: undefined }]);
  });

  it("say it in pylock.toml and pdm.lock", () => {
    const pylock = parseTomlLock(`lock-version = "1.0"
[[packages]]
name = "attrs"
version = "25.1.0"
marker = "python_version < '4'"
[[packages]]
name = "here"
directory = { path = ".", editable = true }
`);
    assert.deepEqual(said(pylock), { attrs: ["25.1.0 python_version < '4'"], here: [" local"] });
    const pdm = parseTomlLock(`[[package]]
name = "requests"
version = "2.32.0"
dependencies = ["certifi>=2017.4.17", "idna<4,>=2.5; python_version > '3'"]
`);
    assert.deepEqual([...(pdm?.wanted.keys() ?? [])], ["certifi", "idna"]);
  });

  it("say it in Pipfile.lock, one version for what stands in both groups", () => {
    const lock = parsePipfileLock(
      JSON.stringify({
        _meta: { sources: [{ url: "https://registry.example/simple" }] },
        default: {
          requests: { version: "==2.32.0", markers: "python_version >= '3.8'" },
          mine: { editable: true, path: "." },
        },
        develop: { requests: { version: "==2.32.0" }, pytest: { version: "===9.0.0" } },
      }),
    );
    assert.deepEqual(said(lock), { requests: ["2.32.0 python_version >= '3.8'"], mine: [" local"], pytest: ["9.0.0"] });
  });

  it("say it in requirements where they pin, with extras, markers, hashes and lines that go on", () => {
    const text = `# comment
--index-url https://registry.example/simple
-r base.txt
-c constraints.txt # limits
-r https://registry.example/more.txt
-e ./local
Requests[socks, security] == 2.32.0 ; python_version < "4" \\
    --hash=sha256:aaaa \\
    --hash=sha256:bbbb
range>=1.0
wild==1.*
url @ https://registry.example/url-1.0.whl
exact===1.0+local.1 # why
`;
    assert.deepEqual(said(parseRequirements(text)), {
      requests: ['2.32.0 python_version < "4"'],
      exact: ["1.0+local.1"],
    });
    assert.deepEqual(includedRequirements(text), ["base.txt", "constraints.txt"]);
  });

  it("say it in those of conda and pixi, for each platform", () => {
    const conda = parseCondaLock(`version: 1
metadata:
  platforms: [linux-64, osx-arm64]
package:
- name: numpy
  version: 1.26.4
  manager: conda
  platform: linux-64
- name: numpy
  version: '2.0.0'
  manager: conda
  platform: osx-arm64
`);
    assert.deepEqual(said(conda), { numpy: ["1.26.4 linux-64", "2.0.0 osx-arm64"] });
    const pixi = parsePixiLock(`version: 6
environments: {}
packages:
- conda: https://registry.example/conda-forge/linux-64/scikit-learn-1.5.0-py312h1_0.conda
  sha256: aa
- conda: https://registry.example/conda-forge/noarch/tzdata-2024a-h0_0.tar.bz2
- pypi: https://registry.example/flask.whl
  name: flask
  version: 3.0.0
`);
    assert.deepEqual(said(pixi), { "scikit-learn": ["1.5.0 linux-64"], tzdata: ["2024a"], flask: ["3.0.0"] });
  });

  it("hold their markers against the machine, and versions as equal that are", () => {
    const machine = { env: {}, home: "/", platform: "linux", arch: "x64", sha256: (text: string) => text };
    const values = markerValues(machine, "3.11.7");
    const markers = {
      "python_version < '3.12' and sys_platform == 'linux'": true,
      "python_full_version >= '3.12' or (platform_machine == 'x86_64' and os_name != 'nt')": true,
      "python_version == '3.9.*'": false,
      "python_version >= '3.9'": true,
      "extra == 'socks'": false,
      "sys_platform in 'win32 cygwin'": false,
      "sys_platform not in 'win32 cygwin'": true,
      'platform_system == "Windows"': false,
    };
    assert.deepEqual(Object.fromEntries(Object.keys(markers).map((one) => [one, markerHolds(one, values)])), markers);
    const pairs = [
      ["1.0", "1.0.0"],
      ["2.1.0", "2.1.0+cpu"],
      ["1.0rc1", "1.0.0-rc.1"],
      ["v1.0.post1", "1.0-1"],
      ["1.0", "1.0.1"],
      ["1.0+a", "1.0+b"],
    ];
    assert.deepEqual(
      pairs.map(([locked = "", installed = ""]) => isSameVersion(locked, installed)),
      [true, true, true, true, false, false],
    );
  });

  it("says nothing of what is none, and ends for what never would", () => {
    for (const text of ["", "\0", "[[package]]\nname = 3", "{}", "package:", "packages:\n- conda: x", "[package]"]) {
      for (const parse of [parsePipfileLock, parseRequirements, parseCondaLock, parsePixiLock]) {
        assert.deepEqual(said(parse(text)), {}, text);
      }
    }
    assert.equal(markerHolds("(".repeat(100_000), {}), true);
  });
});
