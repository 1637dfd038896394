import assert from "node:assert/strict";
import { readManifest } from "../../../src/agents/recommendations/manifests.js";

describe("readManifest", () => {
  it("finds the packages of a package.json, its name, and what it says to us", () => {
    const text = `\uFEFF{"name": "app", "dependencies": {"zod": "^4", "alias": "npm:real@1"}, "devDependencies": {"vite": "7"},
      "peerDependencies": 3, "symposium": {"recommended": ["x"]}}`;
    assert.deepEqual(readManifest("package.json", text), {
      kind: "npm",
      name: "app",
      uses: [
        { name: "zod", version: "^4" },
        { name: "alias", version: "npm:real@1" },
        { name: "vite", version: "7" },
      ],
      symposium: { recommended: ["x"] },
    });
  });

  it("finds those of a pyproject.toml: of the project, its extras and groups, and of Poetry", () => {
    const text = `
      [project]
      name = "Api"
      dependencies = ["httpx[http2]>=0.27; python_version > '3.8'", "Typing_Extensions", "local @ file:///x"]
      optional-dependencies.test = ["pytest ~= 9.2"]
      [dependency-groups]
      dev = ["ruff==0.17.6", { include-group = "test" }]
      [tool.poetry.dependencies]
      python = "^3.11"
      django = { version = "^5", extras = ["argon2"] }
      [tool.poetry.group.docs.dependencies]
      mkdocs = "*"
      [tool.symposium]
      recommended = ["x"]`;
    const manifest = readManifest("pyproject.toml", text);
    assert.ok(manifest && "uses" in manifest);
    assert.deepEqual(
      { ...manifest, symposium: JSON.stringify(manifest.symposium) },
      {
        kind: "python",
        name: "Api",
        uses: [
          { name: "httpx", version: ">=0.27" },
          { name: "typing-extensions", version: undefined },
          { name: "local", version: "@ file:///x" },
          { name: "pytest", version: "~= 9.2" },
          { name: "ruff", version: "==0.17.6" },
          { name: "django", version: "^5" },
          { name: "mkdocs", version: "*" },
        ],
        symposium: '{"recommended":["x"]}',
      },
    );
  });

  it("finds those of requirements, without options, files, addresses and hashes", () => {
    const text = `# tools\n-r base.txt\n--index-url https://pypi.example\nFlask==3.1.0 \\\n    --hash=sha256:abc\nnumpy>=2 # fast\nhttps://x.example/y.whl\n./local\n`;
    assert.deepEqual(readManifest("requirements-dev.txt", text), {
      kind: "python",
      uses: [
        { name: "flask", version: "==3.1.0" },
        { name: "numpy", version: ">=2" },
      ],
    });
  });

  it("finds the modules of a go.mod, in both forms of require", () => {
    const text = `module example.com/shop\n\ngo 1.26\nrequire github.com/a/b v1.2.3 // indirect\nrequire (\n\tgolang.org/x/net v0.30.0\n\t// none\n)\nreplace github.com/a/b => ../b\n`;
    assert.deepEqual(readManifest("go.mod", text), {
      kind: "go",
      name: "example.com/shop",
      uses: [
        { name: "github.com/a/b", version: "v1.2.3", isIndirect: true },
        { name: "golang.org/x/net", version: "v0.30.0" },
      ],
    });
  });

  it("finds the dependencies of a pom.xml, without what is excluded or commented out", () => {
    const text = `<project><groupId>own</groupId><!-- <dependency><groupId>c</groupId><artifactId>d</artifactId></dependency> -->
      <dependencies><dependency><groupId>org.junit.jupiter</groupId><artifactId> junit-jupiter </artifactId>
      <exclusions><exclusion><groupId>x</groupId><artifactId>y</artifactId></exclusion></exclusions><version>5.11.4</version></dependency>
      <dependency><groupId>a</groupId><artifactId>b</artifactId></dependency></dependencies></project>`;
    assert.deepEqual(readManifest("pom.xml", text), {
      kind: "maven",
      uses: [
        { name: "org.junit.jupiter:junit-jupiter", version: "5.11.4" },
        { name: "a:b", version: undefined },
      ],
    });
  });

  for (const file of ["build.gradle", "build.gradle.kts"]) {
    it(`finds coordinates that stand as text in ${file}`, () => {
      const text = `dependencies {\n  implementation("com.example:lib:1.0")\n  // testImplementation("no:no:1")\n  api 'a.b:c'\n  runtimeOnly "x:y:2@aar"\n}`;
      assert.deepEqual(readManifest(file, text), {
        kind: "maven",
        uses: [
          { name: "com.example:lib", version: "1.0" },
          { name: "a.b:c", version: undefined },
          { name: "x:y", version: "2" },
        ],
      });
    });
  }

  it("finds the libraries of a version catalogue", () => {
    const text = `[versions]\nkotlin = "2.2"\n[libraries]\nplain = "a:b:1"\nmodule = { module = "c:d", version.ref = "kotlin" }\nparts = { group = "e", name = "f", version = "3" }\nodd = { id = "x" }`;
    assert.deepEqual(readManifest("libs.versions.toml", text), {
      kind: "maven",
      uses: [
        { name: "a:b", version: "1" },
        { name: "c:d", version: "2.2" },
        { name: "e:f", version: "3" },
      ],
    });
  });

  it("says what is wrong with one that cannot be read, and knows no others", () => {
    assert.deepEqual(readManifest("package.json", "{"), { kind: "problem", message: "it isn't valid JSON" });
    assert.match(JSON.stringify(readManifest("pyproject.toml", "a = ")), /"message":"line 1: This isn't valid TOML/);
    assert.deepEqual(readManifest("package.json", "[]"), { kind: "npm", uses: [] });
    assert.equal(readManifest("Cargo.toml", ""), undefined);
  });
});
