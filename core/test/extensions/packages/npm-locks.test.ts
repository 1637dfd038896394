import assert from "node:assert/strict";
import type { LockImporter, NpmLock } from "../../../src/extensions/packages/npm/npm-lock.js";
import { parseBunLock } from "../../../src/extensions/packages/npm/bun-lock.js";
import { parsePackageLock } from "../../../src/extensions/packages/npm/package-lock.js";
import { parsePnpmLock } from "../../../src/extensions/packages/npm/pnpm-lock.js";
import { parseYarnLock } from "../../../src/extensions/packages/npm/yarn-lock.js";

const root: LockImporter = { path: "", name: "root", version: "1.0.0", range: undefined };
const app: LockImporter = { path: "packages/app", name: "app", version: "0.1.0", range: undefined };

function asked(lock: NpmLock | undefined, importer: LockImporter, names: Readonly<Record<string, string>>) {
  return Object.entries(names).map(([name, range]) => {
    const found = lock?.lockedFor(name, { ...importer, range });
    return found && `${found.name}@${found.version}${found.patch === undefined ? "" : ` ${found.patch}`}`;
  });
}

const wishes = { lodash: "^4.17.20", old: "npm:lodash@3.10.1", ms: "2.1.2" };

describe("lock files of npm's world", () => {
  it("say which version an importer gets: package-lock.json of lockfileVersion 3, without a single `resolved`", () => {
    const lock = parsePackageLock(
      JSON.stringify({
        lockfileVersion: 3,
        packages: {
          "": { name: "root", dependencies: { lodash: "^4.17.20", old: "npm:lodash@3.10.1", ms: "2.1.2" } },
          "packages/app": { name: "app", version: "0.1.0", dependencies: { ms: "2.0.0", debug: "2" } },
          "node_modules/app": { resolved: "packages/app", link: true },
          "node_modules/lodash": { version: "4.17.21" },
          "node_modules/old": { name: "lodash", version: "3.10.1" },
          "node_modules/ms": { version: "2.1.2" },
          "node_modules/debug": { version: "2.6.9", dependencies: { ms: "2.0.0" } },
          "node_modules/debug/node_modules/ms": { version: "2.0.0" },
          "packages/app/node_modules/ms": { version: "2.0.0" },
        },
      }),
    );
    assert.deepEqual(asked(lock, root, wishes), ["lodash@4.17.21", "lodash@3.10.1", "ms@2.1.2"]);
    assert.deepEqual(asked(lock, app, { lodash: "", ms: "", app: "" }), ["lodash@4.17.21", "ms@2.0.0", "app@0.1.0"]);
    assert.deepEqual(lock?.versionsOf("ms"), [
      { version: "2.1.2", wantedBy: ["this project"] },
      { version: "2.0.0", wantedBy: ["debug@2.6.9", "packages/app"] },
    ]);
  });

  it("say it in lockfileVersion 1, where the tree is that of the folders", () => {
    const lock = parsePackageLock(
      JSON.stringify({
        lockfileVersion: 1,
        dependencies: {
          lodash: { version: "4.17.21" },
          old: { version: "npm:lodash@3.10.1" },
          ms: { version: "2.1.2" },
          debug: { version: "2.6.9", requires: { ms: "2.0.0" }, dependencies: { ms: { version: "2.0.0" } } },
        },
      }),
    );
    assert.deepEqual(asked(lock, root, wishes), ["lodash@4.17.21", "lodash@3.10.1", "ms@2.1.2"]);
    const debug = { path: "node_modules/debug", name: "debug", version: "2.6.9", range: undefined };
    assert.deepEqual(asked(lock, debug, { ms: "2.0.0" }), ["ms@2.0.0"]);
    assert.deepEqual(lock?.versionsOf("ms"), [
      { version: "2.1.2", wantedBy: [] },
      { version: "2.0.0", wantedBy: ["debug@2.6.9"] },
    ]);
  });

  it("say it in pnpm-lock.yaml, where versions carry peers and patches", () => {
    const lock = parsePnpmLock(`lockfileVersion: '9.0'

settings:
  autoInstallPeers: true

patchedDependencies:
  ms@2.1.2:
    hash: abc
    path: patches/ms@2.1.2.patch

importers:

  .:
    dependencies:
      lodash:
        specifier: ^4.17.20
        version: 4.17.21
      old:
        specifier: npm:lodash@3.10.1
        version: lodash@3.10.1
      ms:
        specifier: 2.1.2
        version: 2.1.2(patch_hash=abc)

  packages/app:
    devDependencies:
      '@scope/ui':
        specifier: ^1.0.0
        version: 1.2.0(react@18.2.0)
      sibling:
        specifier: workspace:*
        version: link:../sibling

packages:

  '@scope/ui@1.2.0':
    resolution: {integrity: sha512-a, tarball: https://registry.example/ui.tgz}
    peerDependencies:
      react: '>=17'

snapshots:

  '@scope/ui@1.2.0(react@18.2.0)':
    dependencies:
      ms: 2.0.0
      react: 18.2.0

  ms@2.0.0: {}

  ms@2.1.2(patch_hash=abc): {}
`);
    assert.deepEqual(asked(lock, root, wishes), ["lodash@4.17.21", "lodash@3.10.1", "ms@2.1.2 patches/ms@2.1.2.patch"]);
    assert.deepEqual(asked(lock, app, { "@scope/ui": "", sibling: "" }), [
      "@scope/ui@1.2.0",
      "sibling@link:../sibling",
    ]);
    const ui = { path: "node_modules/.pnpm/x", name: "@scope/ui", version: "1.2.0", range: undefined };
    assert.deepEqual(asked(lock, ui, { ms: "" }), ["ms@2.0.0"]);
    assert.deepEqual(lock?.versionsOf("ms"), [
      { version: "2.0.0", wantedBy: ["@scope/ui@1.2.0"] },
      { version: "2.1.2", wantedBy: ["this project"] },
    ]);
  });

  it("say it in the pnpm-lock.yaml of old versions, without importers", () => {
    const lock = parsePnpmLock(`lockfileVersion: 5.4

specifiers:
  lodash: ^4.17.20
  old: npm:lodash@3.10.1
  ms: 2.1.2

dependencies:
  lodash: 4.17.21
  old: /lodash/3.10.1
  ms: 2.1.2_react@18.2.0

packages:

  /@scope/ui/1.2.0_react@18.2.0:
    resolution: {integrity: sha512-a}
    dependencies:
      ms: 2.0.0
    dev: false

  /ms/2.0.0:
    resolution: {integrity: sha512-b}
`);
    assert.deepEqual(asked(lock, root, wishes), ["lodash@4.17.21", "lodash@3.10.1", "ms@2.1.2"]);
    const ui = { path: "x", name: "@scope/ui", version: "1.2.0", range: undefined };
    assert.deepEqual(asked(lock, ui, { ms: "" }), ["ms@2.0.0"]);
  });

  it("say it in yarn.lock of Yarn 1, by what is asked for", () => {
    const lock = parseYarnLock(`# THIS IS AN AUTOGENERATED FILE. DO NOT EDIT THIS FILE DIRECTLY.
# yarn lockfile v1


"@scope/ui@^1.0.0":
  version "1.2.0"
  resolved "https://registry.example/ui.tgz#a"
  dependencies:
    ms "2.0.0"
    "@scope/deep" "^1"

lodash@^4.17.20, lodash@^4.17.21:
  version "4.17.21"

ms@2.0.0:
  version "2.0.0"

ms@2.1.2:
  version "2.1.2"

"old@npm:lodash@3.10.1":
  version "3.10.1"
`);
    assert.deepEqual(asked(lock, root, wishes), ["lodash@4.17.21", "lodash@3.10.1", "ms@2.1.2"]);
    assert.deepEqual(asked(lock, app, { "@scope/ui": "^1.0.0", ms: "2.0.0" }), ["@scope/ui@1.2.0", "ms@2.0.0"]);
    assert.deepEqual(lock?.versionsOf("ms"), [
      { version: "2.0.0", wantedBy: ["@scope/ui@1.2.0"] },
      { version: "2.1.2", wantedBy: [] },
    ]);
  });

  it("say it in yarn.lock of later versions, with patches and folders of the workspace", () => {
    const lock = parseYarnLock(`# This file is generated by running "yarn install" inside your project.

__metadata:
  version: 10
  cacheKey: 10c0

"app@workspace:packages/app":
  version: 0.0.0-use.local
  resolution: "app@workspace:packages/app"
  dependencies:
    ms: "npm:2.0.0"
  languageName: unknown
  linkType: soft

"lodash@npm:^4.17.20, lodash@npm:^4.17.21":
  version: 4.17.21
  resolution: "lodash@npm:4.17.21"

"ms@npm:2.0.0":
  version: 2.0.0
  resolution: "ms@npm:2.0.0"

"ms@npm:2.1.2":
  version: 2.1.2
  resolution: "ms@npm:2.1.2"

"ms@patch:ms@npm%3A2.1.2#~/.yarn/patches/ms-npm-2.1.2-abc.patch":
  version: 2.1.2
  resolution: "ms@patch:ms@npm%3A2.1.2#~/.yarn/patches/ms-npm-2.1.2-abc.patch::version=2.1.2&hash=abc"

"old@npm:lodash@3.10.1":
  version: 3.10.1
  resolution: "lodash@npm:3.10.1"
`);
    const patched = "ms@2.1.2 .yarn/patches/ms-npm-2.1.2-abc.patch";
    assert.deepEqual(asked(lock, root, wishes), ["lodash@4.17.21", "lodash@3.10.1", patched]);
    assert.deepEqual(asked(lock, app, { ms: "2.0.0" }), ["ms@2.0.0"]);
    assert.deepEqual(lock?.versionsOf("ms")[0], { version: "2.0.0", wantedBy: ["packages/app"] });
  });

  it("say it in bun.lock, with its trailing commas", () => {
    const lock = parseBunLock(`{
  "lockfileVersion": 2,
  "workspaces": {
    "": { "name": "root", "dependencies": { "lodash": "^4.17.20", "old": "npm:lodash@3.10.1", "ms": "2.1.2", }, },
    "packages/app": { "name": "app", "dependencies": { "ms": "2.0.0", "debug": "2", }, },
  },
  "packages": {
    "app": ["app@workspace:packages/app"],
    "app/ms": ["ms@2.0.0", "", {}, "sha512-a"],
    "debug": ["debug@2.6.9", "", { "dependencies": { "ms": "2.0.0" } }, "sha512-b"],
    "debug/ms": ["ms@2.0.0", "", {}, "sha512-a"],
    "lodash": ["lodash@4.17.21", "", {}, "sha512-c"],
    "ms": ["ms@2.1.2", "", {}, "sha512-d"],
    "old": ["lodash@3.10.1", "", {}, "sha512-e"],
  },
}`);
    assert.deepEqual(asked(lock, root, wishes), ["lodash@4.17.21", "lodash@3.10.1", "ms@2.1.2"]);
    assert.deepEqual(asked(lock, app, { lodash: "", ms: "" }), ["lodash@4.17.21", "ms@2.0.0"]);
    assert.deepEqual(lock?.versionsOf("ms"), [
      { version: "2.1.2", wantedBy: ["this project"] },
      { version: "2.0.0", wantedBy: ["debug@2.6.9", "packages/app"] },
    ]);
  });

  it("says nothing of what is no lock file", () => {
    const texts = ["", "{", "[]", "null", "a: [", "\0", '{"packages": 3}', "__metadata:"];
    for (const text of texts) {
      for (const parse of [parsePackageLock, parsePnpmLock, parseYarnLock, parseBunLock]) {
        assert.equal(parse(text)?.lockedFor("ms", root), undefined);
      }
    }
  });
});
