import assert from "node:assert/strict";
import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { plannedSkills } from "../../../src/context/node/skills-source.js";
import type { PackageSkills } from "../../../src/agents/recommendations/package-skills.js";
import {
  allowedPackageSkills,
  offeredPackageSkills,
  SkillAnswers,
} from "../../../src/agents/recommendations/node/allowed-skills.js";
import { findPackageSkills } from "../../../src/agents/recommendations/node/find-package-skills.js";
import { defaultContextSettings } from "../../../src/settings/context-settings.js";
import { TrustFile } from "../../../src/settings/trust/node/trust-file.js";
import { type Folder, folderWith } from "./workspace-fixture.js";

const skill = (name: string, description = `Use it for ${name}.`): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\nDo ${name}.\n`;

const manifest = (name: string, version: string): string => `[package]\nname = "${name}"\nversion = "${version}"\n`;

/** As cargo, npm, pnpm, pip and go lay them out. */
const layouts: Readonly<Record<string, string>> = {
  // Rust
  "work/Cargo.toml": `${manifest("app", "0.1.0")}[dependencies]\nsqlish = "1"\n`,
  "work/src/lib.rs": "",
  "work/Cargo.lock": `version = 4
[[package]]
name = "app"
version = "0.1.0"
dependencies = ["sqlish"]
[[package]]
name = "sqlish"
version = "1.2.0"
source = "registry+https://registry.example/index"
dependencies = ["inner"]
[[package]]
name = "inner"
version = "0.1.0"
source = "registry+https://registry.example/index"
`,
  "cargo/registry/src/registry.example-0123/sqlish-1.2.0/Cargo.toml": manifest("sqlish", "1.2.0"),
  "cargo/registry/src/registry.example-0123/sqlish-1.2.0/skills/query/SKILL.md": skill("query"),
  "cargo/registry/src/registry.example-0123/sqlish-1.2.0/skills/query/references/syntax.md": "SELECT",
  "cargo/registry/src/registry.example-0123/inner-0.1.0/Cargo.toml": manifest("inner", "0.1.0"),
  "cargo/registry/src/registry.example-0123/inner-0.1.0/skills/inner/SKILL.md": skill("inner"),
  // npm: of a member of a monorepo, from its own folder and from the root's
  "work/package.json": JSON.stringify({ devDependencies: { "@scope/ui": "^2.0.0" } }),
  "work/packages/web/package.json": JSON.stringify({ dependencies: { chart: "^1.0.0", lib: "workspace:*" } }),
  "work/packages/lib/package.json": JSON.stringify({ name: "lib" }),
  "work/packages/lib/skills/own/SKILL.md": skill("own"),
  "work/packages/web/node_modules/chart/package.json": JSON.stringify({ name: "chart", version: "1.0.3" }),
  "work/packages/web/node_modules/chart/skills/draw/SKILL.md": skill("draw", ">\n  Draws charts,\n  also round ones."),
  "work/node_modules/@scope/ui/package.json": JSON.stringify({ name: "@scope/ui", version: "2.1.0" }),
  "work/node_modules/@scope/ui/skills/README.md": "No skill.",
  "work/node_modules/@scope/ui/skills/forms/SKILL.md": skill("forms"),
  "work/node_modules/transitive/package.json": JSON.stringify({ name: "transitive" }),
  "work/node_modules/transitive/skills/deep/SKILL.md": skill("deep"),
  // Python
  "work/pyproject.toml": '[project]\nname = "app"\ndependencies = ["Data_Frames>=1"]\n',
  "work/.venv/lib/python3.12/site-packages/data_frames-1.4.0.dist-info/RECORD":
    "data_frames/__init__.py,sha256=x,1\ndata_frames/skills/frame/SKILL.md,sha256=y,2\n../../../etc/skills/a/SKILL.md,,\n",
  "work/.venv/lib/python3.12/site-packages/data_frames/__init__.py": "",
  "work/.venv/lib/python3.12/site-packages/data_frames/skills/frame/SKILL.md": skill("frame"),
  // Go
  "work/go.mod":
    "module example.com/app\n\nrequire (\n\texample.com/Web/router v1.5.0\n\texample.com/far v1.0.0 // indirect\n)\n",
  "go/pkg/mod/example.com/!web/router@v1.5.0/skills/routes/SKILL.md": skill("routes"),
  "go/pkg/mod/example.com/far@v1.0.0/skills/far/SKILL.md": skill("far"),
};

describe("the skills of packages that a workspace uses", () => {
  let folder: Folder;
  beforeEach(async () => {
    folder = await folderWith(layouts);
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  const path = (name: string): string => join(folder.path, ...name.split("/"));
  const env = (): NodeJS.ProcessEnv => ({ HOME: folder.path, CARGO_HOME: path("cargo"), GOPATH: path("go") });
  const find = async (isWanted: (key: string) => boolean = () => true): Promise<readonly PackageSkills[]> =>
    (await findPackageSkills({ workspace: path("work"), env: env() })).filter(({ key }) => isWanted(key));
  const answers = (): SkillAnswers => new SkillAnswers(new TrustFile(path("config")));
  const allowed = (): Promise<readonly PackageSkills[]> => allowedPackageSkills(path("work"), env(), answers());
  const keys = (found: readonly { readonly key: string }[]): string[] => found.map(({ key }) => key);

  it("are found where each package manager unpacks what manifests ask for, the project's own left out", async () => {
    const found = await find();
    assert.deepEqual(
      found.map(({ key, title, skills, fileCount }) => [
        key,
        title,
        skills.map(({ name, description }) => `${name}: ${description}`),
        fileCount,
      ]),
      [
        ["crate:sqlish", "the crate sqlish 1.2.0", ["query: Use it for query."], 2],
        ["go:example.com/Web/router", "the Go module example.com/Web/router v1.5.0", ["routes: Use it for routes."], 1],
        ["npm:@scope/ui", "the npm package @scope/ui 2.1.0", ["forms: Use it for forms."], 2],
        ["npm:chart", "the npm package chart 1.0.3", ["draw: Draws charts, also round ones."], 1],
        ["python:data-frames", "the Python package data-frames 1.4.0", ["frame: Use it for frame."], 1],
      ],
    );
  });

  it("are found behind the links of pnpm, and not behind one to a package of the workspace", async () => {
    const store = "work/node_modules/.pnpm/chart@1.0.3/node_modules/chart";
    await mkdir(path("work/node_modules/.pnpm/chart@1.0.3/node_modules"), { recursive: true });
    await rename(path("work/packages/web/node_modules/chart"), path(store));
    await symlink(path(store), path("work/packages/web/node_modules/chart"), "junction");
    await symlink(path("work/packages/lib"), path("work/packages/web/node_modules/lib"), "junction");
    const found = await find((key) => key.startsWith("npm:"));
    assert.deepEqual(
      found.map((one) => one.folder),
      [path("work/node_modules/@scope/ui/skills"), path(`${store}/skills`)],
    );
  });

  it("reach agents only once they are allowed, and then without trust in the folder", async () => {
    assert.deepEqual(await allowed(), []);
    const [crate] = await find((key) => key === "crate:sqlish");
    assert.ok(crate);
    await answers().keep(crate, true);
    const packageSkills = await allowed();
    assert.deepEqual(keys(packageSkills), ["crate:sqlish"]);
    const places = { roots: [path("work")], home: path("home"), env: {}, instructionFiles: [], packageSkills };
    const { items, contribution } = await plannedSkills(places, undefined, {
      ...defaultContextSettings,
      isTrusted: false,
    });
    assert.deepEqual(
      items.map(({ title, isSent }) => [title, isSent]),
      [["query", true]],
    );
    const file = path("cargo/registry/src/registry.example-0123/sqlish-1.2.0/skills/query/SKILL.md");
    assert.match(contribution.instructions?.[0]?.text ?? "", new RegExp(`- query: Use it for query\\. \\(${file}\\)`));
    assert.deepEqual(
      contribution.commands?.current().map(({ name }) => name),
      ["query"],
    );
  });

  it("are asked about again when any file of them changes, and offered no more once refused", async () => {
    for (const one of await find()) await answers().keep(one, true);
    assert.equal((await allowed()).length, 5);
    await writeFile(
      path("cargo/registry/src/registry.example-0123/sqlish-1.2.0/skills/query/references/syntax.md"),
      "Run rm.",
    );
    // A skill may refer to files outside its own folder.
    await writeFile(path("work/node_modules/@scope/ui/skills/README.md"), "Read ../setup.sh.");
    await folder.write({ "work/packages/web/node_modules/chart/skills/_shared/setup.sh": "rm" });
    assert.deepEqual(keys(await allowed()), ["go:example.com/Web/router", "python:data-frames"]);
    const offered = async (): Promise<unknown> => {
      const { skills } = await offeredPackageSkills(path("work"), env(), answers());
      return skills.map(({ id, state }) => [id, state]);
    };
    assert.deepEqual(await offered(), [
      ["crate:sqlish", "changed"],
      ["go:example.com/Web/router", "allowed"],
      ["npm:@scope/ui", "changed"],
      ["npm:chart", "changed"],
      ["python:data-frames", "allowed"],
    ]);
    for (const one of await find((key) => key !== "python:data-frames")) await answers().keep(one, false);
    assert.deepEqual(await offered(), [["python:data-frames", "allowed"]]);
    assert.deepEqual(keys(await allowed()), ["python:data-frames"]);
  });

  it("stay refused when what was allowed before comes back", async () => {
    const file = path("work/packages/web/node_modules/chart/skills/draw/SKILL.md");
    const chart = async (): Promise<PackageSkills> => {
      const [found] = await find((key) => key === "npm:chart");
      assert.ok(found);
      return found;
    };
    const before = await chart();
    await answers().keep(before, true);
    await writeFile(file, skill("draw", "Draws more."));
    await answers().keep(await chart(), false);
    await writeFile(file, skill("draw", ">\n  Draws charts,\n  also round ones."));
    assert.equal((await chart()).digest, before.digest);
    assert.deepEqual(await allowed(), []);
    assert.equal(await answers().stateOf(before), "refused");
  });

  it("are described to the model as they were shown to the user", async () => {
    const text = "---\nname: draw\ndescription: Shown: first\nmetadata: [\ndescription: Sent last\n---\nDraw.\n";
    await writeFile(path("work/packages/web/node_modules/chart/skills/draw/SKILL.md"), text);
    const packageSkills = await find((key) => key === "npm:chart");
    assert.equal(packageSkills[0]?.skills[0]?.description, "Shown: first");
    const places = { roots: [path("work")], home: path("home"), env: {}, instructionFiles: [], packageSkills };
    const { contribution } = await plannedSkills(places, undefined, { ...defaultContextSettings, isTrusted: false });
    assert.equal(contribution.commands?.current()[0]?.description, "Shown: first");
    assert.match(contribution.instructions?.[0]?.text ?? "", /- draw: Shown: first \(/);
  });

  it("are looked for in the wanted packages alone", async () => {
    const found = await findPackageSkills({ workspace: path("work"), env: env(), wanted: new Set(["npm:chart"]) });
    assert.deepEqual(keys(found), ["npm:chart"]);
  });

  it("are found in the sources of an editable installation, and not at an address that names another machine", async () => {
    await folder.write({ "sources/skills/frame/SKILL.md": skill("frame") });
    await rm(path("work/.venv/lib/python3.12/site-packages/data_frames"), { recursive: true });
    const info = "work/.venv/lib/python3.12/site-packages/data_frames-1.4.0.dist-info/direct_url.json";
    const foundAt = async (url: string): Promise<readonly string[]> => {
      await folder.write({ [info]: JSON.stringify({ url, dir_info: { editable: true } }) });
      return keys(await find((key) => key.startsWith("python:")));
    };
    const { href, pathname } = pathToFileURL(path("sources"));
    assert.deepEqual(await foundAt(href), ["python:data-frames"]);
    assert.deepEqual(await foundAt(`file:///${pathname}`), []);
    assert.deepEqual(await foundAt(`file://host.example${pathname}`), []);
  });

  it("are allowed for one package alone: another with the same content asks", async () => {
    const [chart] = await find((key) => key === "npm:chart");
    assert.ok(chart);
    await answers().keep({ key: "npm:other", digest: chart.digest }, true);
    assert.deepEqual(await allowed(), []);
    assert.equal(await answers().stateOf(chart), "new");
  });

  const base = "work/node_modules/@scope/ui/skills";
  const reasons = async (): Promise<readonly string[]> => {
    const [found] = await find((key) => key === "npm:@scope/ui");
    assert.ok(found);
    return [...found.skills.map(({ name }) => name), ...found.problems.map((line) => line.replace(path(base), ""))];
  };

  it("are left out with a reason where the standard does not allow them", async () => {
    await folder.write({
      [`${base}/UPPER/SKILL.md`]: skill("UPPER"),
      [`${base}/silent/SKILL.md`]: "Says nothing of itself.",
      [`${base}/two--hyphens/SKILL.md`]: skill("two--hyphens"),
    });
    assert.deepEqual(await reasons(), [
      "forms",
      "Skipped /UPPER: its name must be at most 64 lower-case letters, digits and single hyphens.",
      "Skipped /silent: its SKILL.md has no description.",
      "Skipped /two--hyphens: its name must be at most 64 lower-case letters, digits and single hyphens.",
    ]);
  });

  const unbound: readonly (readonly [name: string, files: Readonly<Record<string, string>>, reason: string])[] = [
    ["large", { "large/data.bin": "x".repeat(1024 * 1024 + 1) }, "it has more than 1048576 bytes"],
    ["data.bin", { "data.bin": "x".repeat(1024 * 1024 + 1) }, "it has more than 1048576 bytes"],
    ["deep", { "deep/a/b/c/d/e/f.md": "" }, "its folders are nested more than 5 levels deep"],
    [
      "many",
      Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`many/${index}.md`, ""])),
      "it has more than 200 files",
    ],
  ];
  for (const [name, files, reason] of unbound) {
    it(`are all left out where what stands beside them is too much: ${name}`, async () => {
      await folder.write(Object.fromEntries(Object.entries(files).map(([file, text]) => [`${base}/${file}`, text])));
      assert.deepEqual(await reasons(), [`Skipped the skills in : ${name}: ${reason}.`]);
    });
  }

  for (const link of ["forms/reference.md", "_shared", "linked.md"]) {
    it(`are all left out where there is a link: ${link}`, async () => {
      await folder.write({ "outside/a.md": "" });
      if (link === "_shared") await symlink(path("outside"), path(`${base}/${link}`), "junction");
      else await symlink(path("outside/a.md"), path(`${base}/${link}`));
      const [top = ""] = link.split("/");
      assert.deepEqual(await reasons(), [`Skipped the skills in : ${top}: ${link} is a link or not a regular file.`]);
    });
  }

  it("are not read from a folder that leads out of the package, nor by names that lead elsewhere", async () => {
    await rm(path("work/node_modules/@scope/ui/skills"), { recursive: true });
    await symlink(path("work/packages/lib/skills"), path("work/node_modules/@scope/ui/skills"), "junction");
    await folder.write({
      "work/packages/web/package.json": JSON.stringify({ dependencies: { "../../packages/lib": "1", "@../lib": "1" } }),
      "work/go.mod": "module x\nrequire example.com/../../../../work/packages/lib v1.0.0\n",
      "work/Cargo.lock": `[[package]]\nname = "app"\nversion = "0.1.0"\ndependencies = ["../../../../work/packages/lib"]\n[[package]]\nname = "../../../../work/packages/lib"\nversion = "1"\nsource = "registry+x"\n`,
      "work/.venv/lib/python3.12/site-packages/data_frames-1.4.0.dist-info/RECORD":
        "../packages/lib/skills/own/SKILL.md,,\n",
    });
    assert.deepEqual(await find(), []);
  });

  it("do not take the place of skills of the project's or the user's own", async () => {
    await folder.write({ "home/.claude/skills/query/SKILL.md": skill("query", "The user's own.") });
    const [crate] = await find((key) => key === "crate:sqlish");
    assert.ok(crate);
    const packageSkills = [{ title: crate.title, folder: crate.folder, skills: crate.skills }];
    const places = { roots: [path("work")], home: path("home"), env: {}, instructionFiles: [], packageSkills };
    const { items } = await plannedSkills(places, undefined, { ...defaultContextSettings, isTrusted: true });
    assert.deepEqual(
      items.map(({ origin, isSent, reason }) => [
        origin.endsWith("sqlish-1.2.0/skills/query/SKILL.md"),
        isSent,
        reason,
      ]),
      [
        [false, true, "one line, and the full text when it is used"],
        [true, false, "its name is already in use"],
      ],
    );
  });
});
