import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { leaveOut } from "../needs-cargo.js";
import { nodeLauncher } from "../../src/guard/node/network/launcher.js";
import { systemLauncher } from "../../src/guard/node/network/system-launcher.js";
import { httpServer, needsNamespaces, SandboxWorld } from "./sandbox-network-fixture.js";

const launchers = { "Node's": nodeLauncher, "the system's": systemLauncher() };

for (const [name, launcher] of Object.entries(launchers)) {
  describe(`${name} launcher of a sandbox's network`, function () {
    this.timeout(60_000);
    before(function () {
      needsNamespaces(this);
      if (!launcher) leaveOut(this, "there is no /usr/bin/perl of root's here");
    });
    if (!launcher) {
      it("is not there");
      return;
    }

    it("hands out each port, in whatever number", async () => {
      await using one = await httpServer((_request, response) => void response.end("one"));
      await using two = await httpServer((_request, response) => void response.end("two"));
      await using world = new SandboxWorld({ launcher, loopbackPorts: [one.port, two.port] });
      const { stdout } = await world.run([
        "curl",
        "-sS",
        `http://127.0.0.1:${one.port}/`,
        `http://127.0.0.1:${two.port}/`,
      ]);
      assert.equal(stdout, "onetwo");
    });

    it("leaves nothing of itself to the program: no descriptor, no process, no variable, no ignored signal", async () => {
      await using world = new SandboxWorld({ launcher });
      const script =
        "ls /proc/$$/fd; echo; env | grep -c NODE_CHANNEL; grep SigIgn /proc/$$/status; ls -d /proc/[0-9]* | wc -l";
      const descriptorsOf = (stdout: string): string => stdout.slice(0, stdout.indexOf("\n\n"));
      // Node reads these certificates in a thread, which may have the file open when Node becomes the program.
      const { stdout } = await world.run(["sh", "-c", script], { NODE_EXTRA_CA_CERTS: "" });
      // Both runs inherit the descriptors that this process has without close-on-exec.
      const outside = spawnSync("sh", ["-c", script], { stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
      assert.equal(descriptorsOf(stdout), descriptorsOf(outside.stdout));
      const [channels, ignored, processes] = stdout.slice(stdout.indexOf("\n\n")).trim().split("\n");
      assert.equal(channels, "0");
      assert.match(ignored ?? "", /^SigIgn:\t0+$/);
      const isReplaced = launcher !== nodeLauncher || "execve" in process;
      // bubblewrap, the shell, and those that count; Node's launcher stays where Node cannot become another program.
      assert.ok(Number(processes) <= (isReplaced ? 4 : 5), processes);
    });

    it("starts the program as it would start without it", async () => {
      await using world = new SandboxWorld({ launcher });
      assert.deepEqual(await world.run(["sh", "-c", 'echo "$1|$X"; exit 7', "sh", "a b\"'"], { X: "y" }), {
        code: 7,
        stdout: "a b\"'|y\n",
        stderr: "",
      });
      const bytes = await world.run(["sh", "-c", 'printf %s "$LC_ALL$PERL_BADLANG$0"', "\u00fc"], {
        LC_ALL: "xx_XX.UTF-8",
      });
      assert.deepEqual([bytes.stdout, bytes.stderr.replace(/^.*setlocale.*\n/gm, "")], ["xx_XX.UTF-8\u00fc", ""]);
      const missing = await world.run(["no-such-program"]);
      assert.deepEqual(
        [missing.code, missing.stderr],
        [127, 'symposium-acp-agent: "no-such-program" is no program in the sandbox.\n'],
      );
    });
  });
}
