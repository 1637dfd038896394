import assert from "node:assert/strict";
import { billOfMaterials } from "../../scripts/release/bill-of-materials.mjs";
import { cargoPackages, npmPackages } from "../../scripts/release/locked-versions.mjs";
import { Offline, vulnerabilities } from "../../scripts/release/vulnerabilities.mjs";
import { serve } from "../../scripts/workflows/stand-ins/serve.mjs";

const part = (name, dependencies = []) => ({ purl: `pkg:npm/${name}@1.0.0`, name, version: "1.0.0", dependencies });
const bill = (sha256) =>
  billOfMaterials({ name: "a.tgz", version: "2.0.0", sha256, parts: [part("a", ["b"]), part("b")] });

describe("a bill of materials", () => {
  it("has the artefact's checksum, and the graph of its packages", () => {
    const { metadata, dependencies } = bill("ab");
    assert.deepEqual(metadata.component.hashes, [{ alg: "SHA-256", content: "ab" }]);
    assert.deepEqual(dependencies, [
      { ref: "artefact:a.tgz", dependsOn: ["pkg:npm/a@1.0.0"] },
      { ref: "pkg:npm/a@1.0.0", dependsOn: ["pkg:npm/b@1.0.0"] },
      { ref: "pkg:npm/b@1.0.0", dependsOn: [] },
    ]);
  });

  it("has a serial number that is the same for the same bytes alone", () => {
    const [one, same, other] = ["ab", "ab", "cd"].map((sum) => bill(sum).serialNumber);
    assert.match(one, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.deepEqual([same === one, other === one], [true, false]);
  });
});

describe("the packages of a lock file", () => {
  it("of npm have their path, checksum and dependencies", () => {
    const integrity = `sha512-${Buffer.from("sum").toString("base64")}`;
    const packages = {
      "": { name: "root" },
      core: { version: "1.0.0" },
      "node_modules/core": { link: true },
      "node_modules/a/node_modules/@b/c": { version: "1.0.0", integrity, dependencies: { d: "^1" } },
    };
    assert.deepEqual(npmPackages({ packages }), [
      {
        path: "node_modules/a/node_modules/@b/c",
        name: "@b/c",
        version: "1.0.0",
        purl: "pkg:npm/%40b/c@1.0.0",
        hash: Buffer.from("sum").toString("hex"),
        dependencies: ["d"],
      },
    ]);
  });

  it("of Cargo are those with a checksum", () => {
    const text = `version = 4

[[package]]
name = "ours"
version = "1.0.0"
dependencies = [
 "theirs",
]

[[package]]
name = "theirs"
version = "2.0.0"
source = "registry"
checksum = "ab"
dependencies = [
 "other 1.2.3",
 "third",
]
`;
    assert.deepEqual(cargoPackages(text), [
      {
        name: "theirs",
        version: "2.0.0",
        purl: "pkg:cargo/theirs@2.0.0",
        hash: "ab",
        dependencies: ["other", "third"],
      },
    ]);
  });
});

describe("known vulnerabilities", () => {
  let server;
  afterEach(() => server?.close());

  it("are listed by package, without those that do not concern us", async () => {
    server = await serve(({ json }) => {
      const results = json().queries.map(({ package: { purl } }) =>
        purl.includes("/bad@") ? { vulns: [{ id: "GHSA-1" }, { id: "GHSA-2" }] } : {},
      );
      return [200, { results }];
    });
    const purls = ["pkg:npm/good@1.0.0", "pkg:npm/bad@1.0.0"];
    const { address } = server;
    assert.deepEqual(await vulnerabilities(purls, { address }), ["pkg:npm/bad@1.0.0: GHSA-1, GHSA-2"]);
    const accepted = { "GHSA-1": "never called", "GHSA-2": "never called" };
    assert.deepEqual(await vulnerabilities(purls, { address, accepted }), []);
  });

  it("are unknown without a network, and say so", async () => {
    server = await serve(() => [200, {}]);
    const { address } = server;
    server.close();
    await assert.rejects(vulnerabilities(["pkg:npm/a@1.0.0"], { address }), Offline);
  });
});
