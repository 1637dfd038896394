import assert from "node:assert/strict";
import { everything, nothing, RehearsalStage } from "../release/support/rehearsal-stage.mjs";

const limitMs = 180_000;
const isLinux = process.platform === "linux" && process.arch === "x64";

// The jobs that run here are those of Linux on x64.
(isLinux ? describe : describe.skip)("a release to registries on this machine", function () {
  this.timeout(limitMs);
  let stage;
  let started;
  before(async () => (stage = await RehearsalStage.create()));
  after(() => stage.remove());
  afterEach(() => started?.rehearsal.close());

  it("shows nothing while a registry would refuse, and is public everywhere afterwards, without any token", async () => {
    started = await stage.start();
    const { rehearsal, run, isPublic } = started;
    const [[name, versions]] = rehearsal.npm.published;
    rehearsal.npm.published.clear();
    rehearsal.marketplace.others.push({
      displayName: "symposium",
      extensionName: "other",
      publisher: { publisherName: "someone" },
    });
    rehearsal.openVsx.namespace = "another";
    const results = await run();
    assert.deepEqual(failed(results), ["check (npm)", "check (marketplace)", "check (open-vsx)"]);
    assert.deepEqual(await isPublic(), nothing);
    rehearsal.npm.published.set(name, versions);
    rehearsal.marketplace.others.pop();
    rehearsal.openVsx.namespace = "symposium-dev";
    assert.deepEqual([failed(await run()), await isPublic()], [[], everything]);
  });

  const failed = (results) => Object.entries(results).flatMap(([name, result]) => (result === "failure" ? [name] : []));
});
