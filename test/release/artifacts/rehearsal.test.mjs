import assert from "node:assert/strict";
import { everything, nothing, RehearsalStage } from "../support/rehearsal-stage.mjs";

const limitMs = 1_800_000;
const isLinux = process.platform === "linux" && process.arch === "x64";
/** Steps without effect outside of their job. */
const isSetup = (step) => /^actions\/(?:checkout|setup-node|download-artifact)$/.test(step);
/** Steps whose effect others see, and whose answer may get lost. */
const hasEffect = (step) => /gh release|github-release|publish\.mjs(?!.*--check)|deploy-pages/.test(step);

// The jobs that run here are those of Linux on x64.
(isLinux ? describe : describe.skip)("a release that fails on its way", function () {
  this.timeout(limitMs);
  let stage;
  before(async () => (stage = await RehearsalStage.create()));
  after(() => stage.remove());

  async function withRun(options, use) {
    const started = await stage.start(options);
    try {
      await use(started);
    } finally {
      started.rehearsal.close();
    }
  }

  it("is never half public, and is finished by the next run, whichever step fails", async () => {
    const points = new Set();
    await withRun({ failure: note }, async ({ run, isPublic }) => {
      await run();
      assert.deepEqual(await isPublic(), everything);
    });
    assert.ok(points.size > 10, [...points].join("\n"));
    for (const label of points) {
      let fails = true;
      const failure = (told) => fails && labelOf(told) === label;
      await withRun({ failure }, async ({ run, isPublic }) => {
        const results = await run();
        assert.ok(Object.values(results).includes("failure"), label);
        assertOrder(await isPublic(), `after a failure ${label}`);
        fails = false;
        await run();
        assert.deepEqual(await isPublic(), everything, `the second run after a failure ${label}`);
      });
    }

    function note(told) {
      if (!isSetup(told.step) && (told.when === "before" || hasEffect(told.step))) points.add(labelOf(told));
      return false;
    }

    /** The jobs of a matrix fail together. */
    function labelOf({ job, step, when }) {
      return `${when} "${step}" of ${job.replace(/ \(.*/, "")}`;
    }
  });

  it("is finished by the next run after a registry took one package of several", () =>
    withRun({}, async ({ rehearsal, run, isPublic }) => {
      rehearsal.marketplace.faults.push(undefined, 403);
      rehearsal.openVsx.faults.push(undefined, 403);
      await run();
      assert.deepEqual(await isPublic(), { ...everything, marketplace: ["all"], openVsx: ["universal"], site: [] });
      await run();
      assert.deepEqual(await isPublic(), everything);
    }));

  it("shows nothing with expired tokens, and is published with new ones", () =>
    withRun({ way: "tokens" }, async ({ rehearsal, run, isPublic }) => {
      for (const registry of [rehearsal.marketplace, rehearsal.openVsx]) registry.isExpired = true;
      await run();
      assert.deepEqual(await isPublic(), nothing);
      for (const registry of [rehearsal.marketplace, rehearsal.openVsx]) registry.isExpired = false;
      await run();
      assert.deepEqual(await isPublic(), everything);
    }));

  it("signs in to the Marketplace with what GitHub vouches for, once that takes it", () =>
    withRun({ way: "github" }, async ({ run, isPublic }) => {
      await run();
      assert.deepEqual(await isPublic(), everything);
    }));

  it("does not pass for published if npm has other contents of that version", () =>
    withRun({}, async ({ rehearsal, run, isPublic }) => {
      const [versions] = rehearsal.npm.published.values();
      versions["99.0.0"] = { manifest: { dist: { integrity: "sha512-other" } }, bytes: Buffer.alloc(0) };
      const results = await run();
      assert.equal(results["publish (npm)"], "failure");
      assert.deepEqual((await isPublic()).site, []);
    }));

  /** Registries only have what the shown release has; the site is the last. */
  function assertOrder({ release, npm, marketplace, openVsx, site }, when) {
    if ([npm, marketplace, openVsx].some((list) => list.length > 0))
      assert.deepEqual(release, everything.release, when);
    if (release.length > 0) assert.deepEqual(release, everything.release, when);
    if (site.length > 0) assert.deepEqual({ release, npm, marketplace, openVsx, site }, everything, when);
  }
});
