import assert from "node:assert/strict";
import { recordedPackages } from "./recorded-packages.js";
import { firstLine, SourcesStage } from "./sources-stage.js";

/** A project, and the module that `go list` gave for each import path. */
interface RecordedProject {
  readonly files: Readonly<Record<string, string>>;
  /** The go.mod of each version in the module graph. */
  readonly mods: Readonly<Record<string, string>>;
  /** `module@version`, or the folder of a local one. */
  readonly packages: Readonly<Record<string, string>>;
}

const recorded = recordedPackages("go") as Readonly<Record<"module" | "workspace" | "vendored", RecordedProject>>;

const environment = {
  GOMODCACHE: "/stage/cache",
  GOROOT: "/stage/goroot",
  GOENV: "/stage/go.env",
  GOFLAGS: "",
  GOWORK: "",
  GOTOOLCHAIN: "",
};
const go = "package x\n";

describe("packages that a Go module imports", function () {
  this.timeout(120_000);

  it("come at the version that go itself gives, all of a recorded project, offline", async () => {
    const { files, packages } = recorded.module;
    await using stage = await SourcesStage.open({ ...files, ...cacheOf(packages) }, environment);
    const names = Object.keys(packages);
    assert.ok(names.length > 100);
    assert.deepEqual(await answersFor(stage, names, "main.go"), expected(packages));
  });

  it("come at the newest version that a workspace asks for, also where only a module of another asks", async () => {
    const { files, packages, mods } = recorded.workspace;
    await using stage = await SourcesStage.open({ ...files, ...cacheOf(packages), ...graphOf(mods) }, environment);
    assert.deepEqual(await answersFor(stage, Object.keys(packages), "a/a.go"), expected(packages));
    assert.match(
      await stage.call("package_sources", { name: "golang.org/x/net/html", from: "a/a.go" }),
      /a\/go\.mod requires golang\.org\/x\/net v0\.20\.0, and shop\.example\/b v0\.26\.0: the newest is used/,
    );
  });

  it("come from vendor, where a module has it", async () => {
    const { files, packages } = recorded.vendored;
    const sources = Object.fromEntries(Object.keys(packages).map((path) => [`vendor/${path}/x.go`, go]));
    await using stage = await SourcesStage.open({ ...files, ...sources }, environment);
    assert.deepEqual(await answersFor(stage, Object.keys(packages), "main.go"), expected(packages));
    const gin = await stage.call("package_sources", { name: "github.com/gin-gonic/gin/binding", from: "main.go" });
    assert.match(gin, /^Folder: \/stage\/vendor\/github\.com\/gin-gonic\/gin$/m);
  });

  it("come from the module cache in spite of vendor, where GOFLAGS says so", async () => {
    const files = {
      "go.mod": "module a\n\ngo 1.22\n\nrequire lib.example/one v1.0.0\n",
      "go.sum": "lib.example/one v1.0.0 h1:x=\n",
      "vendor/modules.txt": "# lib.example/one v0.9.0\n## explicit\nlib.example/one\n",
      "vendor/lib.example/one/one.go": go,
      "cache/lib.example/one@v1.0.0/one.go": go,
    };
    await using vendored = await SourcesStage.open(files, environment);
    const answer = await vendored.call("package_sources", { name: "lib.example/one" });
    assert.match(answer, /^lib\.example\/one v0\.9\.0 \(go\)\n/);
    assert.match(answer, /^Drift: \/stage\/go\.mod requires v1\.0\.0, but v0\.9\.0 is vendored: run go mod vendor/m);
    await using cached = await SourcesStage.open(files, { ...environment, GOFLAGS: "-mod=mod" });
    assert.equal(
      firstLine(await cached.call("package_sources", { name: "lib.example/one" })),
      "lib.example/one v1.0.0 (go)",
    );
  });

  it("are told with replacements, missing checksums and other versions in the module cache", async () => {
    await using stage = await SourcesStage.open(
      {
        "go.mod": `module shop.example/api // the shop

go 1.22

require (
	Lib.example/One/v2 v2.1.0 // indirect
	"quoted.example/two" v1.0.0
	old.example/three v1.0.0
)

replace old.example/three v1.0.0 => new.example/three v1.5.0
replace (
	quoted.example/two => ./local/two
)
`,
        "go.sum": "new.example/three v1.5.0 h1:x=\nnew.example/three v1.5.0/go.mod h1:x=\n",
        "local/two/go.mod": "module quoted.example/two\n",
        "local/two/two.go": go,
        "cache/!lib.example/!one/v2@v2.1.0/one.go": go,
        "cache/!lib.example/!one/v2@v2.0.0/one.go": go,
        "cache/!lib.example/!one/v2@v2.1.0/inner/inner.go": go,
        "cache/new.example/three@v1.5.0/three.go": go,
        "internal/own/own.go": go,
      },
      environment,
    );
    const sources = (name: string) => stage.call("package_sources", { name, from: "internal/own/own.go" });
    const one = await sources("Lib.example/One/v2/inner");
    assert.match(
      one,
      /^Lib\.example\/One\/v2 v2\.1\.0 \(go\)\nFolder: \/stage\/cache\/!lib\.example\/!one\/v2@v2\.1\.0\n/,
    );
    assert.match(one, /^Drift: \/stage\/go\.sum has no checksum of Lib\.example\/One\/v2 v2\.1\.0: run go mod tidy/m);
    assert.match(one, /^Other versions here: v2\.0\.0$/m);
    const two = await sources("quoted.example/two");
    assert.match(two, /^quoted\.example\/two v1\.0\.0 \(go\)\nFolder: \/stage\/local\/two\n/);
    assert.match(two, /it is replaced by \.\/local\/two; that is a folder on this machine/);
    const three = await sources("old.example/three");
    assert.match(three, /^new\.example\/three v1\.5\.0 \(go\)\n/);
    assert.doesNotMatch(three, /Drift/);
    const other = await stage.call("package_sources", { name: "Lib.example/One/v2@v2.0.0" });
    assert.match(other, /^Lib\.example\/One\/v2 v2\.0\.0 \(go\)\n/);
    assert.match(
      await sources("shop.example/api/internal/own"),
      /^shop\.example\/api \(devel\) \(go\)\nFolder: \/stage\n/,
    );
  });

  it("are looked for in go.mod files of dependencies where the module is for Go 1.16", async () => {
    await using stage = await SourcesStage.open(
      {
        "go.mod": "module a\n\ngo 1.16\n\nrequire b.example v1.0.0\n",
        "go.sum": "c.example v1.2.0 h1:x=\n",
        ...graphOf({
          "b.example@v1.0.0": "module b.example\nrequire (\n\tc.example v1.1.0\n\td.example v1.0.0\n)\n",
          "c.example@v1.1.0": "module c.example\n",
          "d.example@v1.0.0": "module d.example\nrequire c.example v1.2.0\n",
          "c.example@v1.2.0": "module c.example\n",
        }),
        "cache/c.example@v1.1.0/c.go": go,
        "cache/c.example@v1.2.0/c.go": go,
      },
      environment,
    );
    const answer = await stage.call("package_sources", { name: "c.example" });
    assert.match(answer, /^c\.example v1\.2\.0 \(go\)\n/);
    assert.match(answer, /go\.mod does not require c\.example; v1\.2\.0 comes from d\.example@v1\.0\.0/);
  });

  it("are of the standard library of the toolchain that the module asks for", async () => {
    const system = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
    await using stage = await SourcesStage.open(
      {
        "go.mod": "module a\n\ngo 1.24\ntoolchain go1.99.1\n",
        "old/go.mod": "module b\n\ngo 1.20\n",
        "goroot/VERSION": "go1.24.3\ntime 2025-01-01\n",
        "goroot/src/net/http/http.go": "package http\n\n// Get gets.\nfunc Get() {}\n",
        [`cache/golang.org/toolchain@v0.0.1-go1.99.1.${system}/VERSION`]: "go1.99.1\n",
        [`cache/golang.org/toolchain@v0.0.1-go1.99.1.${system}/src/net/http/http.go`]: "package http\n",
      },
      environment,
    );
    const sources = (from: string) => stage.call("package_sources", { name: "net/http", from });
    assert.equal(firstLine(await sources("main.go")), "std go1.99.1 (go)");
    assert.equal(firstLine(await sources("old/main.go")), "std go1.24.3 (go)");
    assert.match(
      await stage.call("package_item", { name: "net/http", symbol: "Get", from: "old/main.go" }),
      /net\/http\/http\.go:4\n\/\/ Get gets\.\nfunc Get\(\) \{\}/,
    );
  });

  it("are told where they are missing, with the version that would come", async () => {
    await using stage = await SourcesStage.open(
      { "go.mod": "module a\n\ngo 1.22\n\nrequire lib.example/one v1.3.0\n" },
      environment,
    );
    assert.equal(
      await stage.call("package_sources", { name: "lib.example/one/part" }),
      `lib.example/one v1.3.0 (go) is not installed here.
Why: go.mod requires lib.example/one v1.3.0; /stage/cache/lib.example/one@v1.3.0 does not exist
package_fetch downloads it for reading, without installing it: go mod download lib.example/one@v1.3.0 (in an empty folder).`,
    );
    assert.match(
      await stage.call("package_sources", { name: "github.com/a/b/v3/c", from: "main.go" }),
      /^github\.com\/a\/b\/v3 \(go\) is not installed here\./,
    );
  });

  it("refuses what is no import path, and folders that names lead to", async () => {
    await using stage = await SourcesStage.open(
      {
        "go.mod": "module a\n\ngo 1.22\n\nrequire ../../etc v1.0.0\nrequire lib.example/one ../../../x\n",
        "secret/x.go": go,
      },
      environment,
    );
    for (const name of [
      "../secret",
      "./secret",
      "/etc/passwd",
      "lib.example/../../secret",
      "C",
      "a b",
      "x/..",
      "-flag",
    ]) {
      const answer = await stage.call("package_sources", { name, from: "main.go" });
      assert.match(answer, /isn't a Go import path|is a folder, not a package|is cgo/, name);
    }
    for (const [name, version] of [
      ["lib.example/one", "--help"],
      ["lib.example/one", "https://registry.example/x"],
    ]) {
      assert.match(
        await stage.call("package_fetch", { name: name ?? "", version: version ?? "" }),
        /isn't a version, range or tag/,
      );
    }
  });
});

function cacheOf(packages: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(packages).flatMap(([path, module]) => {
      const [name = "", version] = module.split("@");
      const folder = name.replace(/^\.\.?\//, "");
      if (version === undefined)
        return [
          [`${folder}/x.go`, go],
          [`${folder}/go.mod`, `module ${path}\n`],
        ];
      const inside = path.startsWith(`${name}/`) ? path.slice(name.length) : "";
      return [[`cache/${escaped(module)}${inside}/x.go`, go]];
    }),
  );
}

function graphOf(mods: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(mods).map(([module, text]) => {
      const [name = "", version = ""] = escaped(module).split("@");
      return [`cache/cache/download/${name}/@v/${version}.mod`, text];
    }),
  );
}

function escaped(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
}

async function answersFor(stage: SourcesStage, names: readonly string[], from: string) {
  const answers: Record<string, string> = {};
  for (const name of names) answers[name] = firstLine(await stage.call("package_sources", { name, from }));
  return answers;
}

/** A local module that stands for another keeps the name and version that it is required by. */
function expected(packages: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(packages).map(([path, module]) => {
      const [name, version] = module.split("@");
      return [path, version === undefined ? `${path} ${localVersions[path] ?? ""} (go)` : `${name} ${version} (go)`];
    }),
  );
}

const localVersions: Readonly<Record<string, string>> = {
  "github.com/pkg/errors": "v0.9.1",
  "example.com/nothing": "v1.0.0",
};
