import assert from "node:assert/strict";
import { everything, jobs, nothing, RehearsalStage } from "../release/support/rehearsal-stage.mjs";

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

  it("is never half public, and each run passes the step that failed in the run before, until nothing is left", async () => {
    /** The steps that failed in an earlier run or fail in this one, as one repository after another meets them. */
    const failed = new Set();
    let current;
    const failure = (told) => {
      if (isSetup(told.step) || (told.when === "after" && !hasEffect(told.step))) return false;
      const label = `${told.when} "${told.step}" of ${baseOf(told.job)}`;
      if (current === undefined && !failed.has(label)) {
        current = { label, job: jobs.includes(baseOf(told.job)) ? baseOf(told.job) : "site" };
        failed.add(label);
      }
      // The jobs of a matrix fail together.
      return label === current?.label;
    };
    await withRun({ failure }, async ({ run, isPublic }) => {
      for (;;) {
        current = undefined;
        const results = await run();
        const jobsThatFailed = Object.keys(results).filter((name) => results[name] === "failure");
        if (current === undefined) {
          assert.deepEqual([jobsThatFailed, await isPublic()], [[], everything]);
          break;
        }
        // An earlier job would be one that the failure of the run before still stops.
        assert.equal(baseOf(jobsThatFailed[0] ?? ""), current.job, current.label);
        assertOrder(await isPublic(), `after a failure ${current.label}`);
      }
    });
    assert.ok(failed.size > 10, [...failed].join("\n"));
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

  /** A job's name without the combination of its matrix. */
  function baseOf(job) {
    return job.replace(/ \(.*/, "");
  }

  /** Registries only have what the shown release has; the site is the last. */
  function assertOrder({ release, npm, marketplace, openVsx, site }, when) {
    if ([npm, marketplace, openVsx].some((list) => list.length > 0))
      assert.deepEqual(release, everything.release, when);
    if (release.length > 0) assert.deepEqual(release, everything.release, when);
    if (site.length > 0) assert.deepEqual({ release, npm, marketplace, openVsx, site }, everything, when);
  }
});
