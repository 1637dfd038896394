import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { knownMachines } from "../../../src/features/other-machines/machines.js";

describe("the machines for a new chat", () => {
  let home = "";
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), "machines-"));
    await mkdir(join(home, ".ssh", "more"), { recursive: true });
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  const named = async (folder?: string, containers: Readonly<Record<string, string>> = {}): Promise<unknown> =>
    (await knownMachines({ home, folder, containers: (engine) => Promise.resolve(containers[engine]) })).map(
      ({ on }) => on,
    );

  it("are the hosts of ~/.ssh/config and of its included files, without patterns", async () => {
    const config =
      'Include more/*.conf ~/.ssh/extra gone\nHost build "quoted.example" *.example !bad -x\n  User me\nhost=last\n';
    await writeFile(join(home, ".ssh", "config"), config);
    await writeFile(join(home, ".ssh", "more", "a.conf"), "Host a build\n# Host no\nInclude more/a.conf\n");
    await writeFile(join(home, ".ssh", "more", "b.txt"), "Host b\n");
    await writeFile(join(home, ".ssh", "extra"), "Host extra\n");
    assert.deepEqual(await named(), ["ssh:a", "ssh:build", "ssh:extra", "ssh:quoted.example", "ssh:last"]);
  });

  it("are the folder's dev container and the engines' running containers", async () => {
    await mkdir(join(home, ".devcontainer"));
    await writeFile(join(home, ".devcontainer", "devcontainer.json"), "{}");
    const containers = { podman: "web\n-rf\n", docker: "db_1\r\n\r\n" };
    assert.deepEqual(await named(home, containers), ["devcontainer", "podman:web", "docker:db_1"]);
    assert.deepEqual(await named(join(home, "other")), []);
  });
});
