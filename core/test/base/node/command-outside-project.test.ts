import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { outerCommand } from "../../../src/base/node/command-outside-project.js";
import { startProgram } from "../../../src/base/node/start-program.js";

describe("a program that is started by its name", () => {
  let [folder, project, own, env]: [string, string, string, { PATH: string }] = ["", "", "", { PATH: "" }];
  before(function () {
    if (process.platform === "win32") this.skip();
  });
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "outer-command-")));
    [project, own] = [join(folder, "project"), join(folder, "own")];
    for (const place of [join(project, "bin"), own]) mkdirSync(place, { recursive: true });
    env = { PATH: `${project}/bin:${own}:/usr/bin:/bin` };
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (place: string, text: string): void => writeFileSync(place, text, { mode: 0o700 });
  const outer = (command: string, args: readonly string[] = []): ReturnType<typeof outerCommand> =>
    outerCommand({ command, args, env: {}, cwd: project }, env, [project]);

  it("is none that an agent has made in the workspace, nor is the interpreter of its script", () => {
    write(join(own, "agent"), "#!/usr/bin/env interpreter\n");
    write(join(own, "interpreter"), "#!/bin/sh\n");
    const same = { command: "agent", args: ["--acp"], env: {}, cwd: project };
    assert.deepEqual(outer("agent", ["--acp"]), same);
    write(join(project, "bin/agent"), "#!/bin/sh\n");
    assert.deepEqual(outer("agent", ["--acp"]), { ...same, command: join(own, "agent") });
    write(join(project, "bin/interpreter"), "#!/bin/sh\n");
    const script = { ...same, command: join(own, "interpreter"), args: [join(own, "agent"), "--acp"] };
    assert.deepEqual([outer("agent", ["--acp"]), outer(join(own, "agent"), ["--acp"])], [script, script]);
    write(join(own, "agent"), "#!/usr/bin/env -S interpreter --quiet\n");
    assert.deepEqual(outer("agent"), { ...script, args: ["--quiet", join(own, "agent")] });
    write(join(own, "agent"), "#!/usr/bin/env -S QUIET=1 LEVEL= interpreter\n");
    assert.deepEqual(outer("agent"), { ...script, args: [join(own, "agent")], env: { QUIET: "1", LEVEL: "" } });
  });

  it("does not start where there is no other, but by its path", () => {
    write(join(project, "bin/agent"), "#!/bin/sh\n");
    const only = outer("agent");
    assert.match("startError" in only ? only.startError : "", /^"agent" is on PATH only as .*project\/bin\/agent/);
    assert.deepEqual(outer("bin/agent"), { command: "bin/agent", args: [], env: {}, cwd: project });
    assert.deepEqual(outer("nowhere"), { command: "nowhere", args: [], env: {}, cwd: project });
  });

  it("runs as it would without them, with the PATH that it had", async () => {
    write(join(own, "agent"), "#!/usr/bin/env interpreter\n");
    write(join(own, "interpreter"), '#!/bin/sh\necho "own $2 $PATH"\n');
    for (const name of ["agent", "interpreter"]) write(join(project, "bin", name), "#!/bin/sh\necho bad\n");
    const started = startProgram(
      { command: "agent", args: ["--acp"], env: {}, cwd: project },
      { env, stdio: ["ignore", "pipe", "ignore"], confined: "not asked for", notFrom: [project] },
    );
    assert.ok("child" in started);
    let said = "";
    started.child.stdout?.setEncoding("utf8").on("data", (text: string) => (said += text));
    await new Promise((resolve) => started.child.once("close", resolve));
    assert.equal(said, `own --acp ${env.PATH}\n`);
  });
});
