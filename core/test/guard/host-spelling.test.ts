import assert from "node:assert/strict";
import fc from "fast-check";
import { parseGuardFile } from "../../src/guard/guard-rule.js";
import { addressText, kindOfAddress, readAddress } from "../../src/guard/network/ip-address.js";
import { readAuthority, readTarget } from "../../src/guard/network/target.js";

/** As programs read a host; undefined where they do not. */
function asUrl(host: string): string | undefined {
  const address = `http://${host}/`;
  return URL.canParse(address) ? new URL(address).hostname : undefined;
}

const kindOf = (text: string): string => {
  const address = readAddress(text);
  return address ? kindOfAddress(address) : "no address";
};

describe("the host that a program asks for", () => {
  it("is one name, however it is written", () => {
    const written = ["API.Example.COM:443", "api.example.com.:443", "api.example.com:0443"];
    assert.deepEqual(
      written.map((text) => readAuthority(text)),
      written.map(() => ({ host: "api.example.com", port: 443 })),
    );
    assert.equal(readTarget("xn--bcher-kva.example", 443)?.host, "xn--bcher-kva.example");
  });

  it("is refused with bytes, names of users and ports that no honest program sends", () => {
    const wrong = [
      "evil.example\0.allowed.example:443",
      "allowed.example@evil.example:443",
      "allowed.example%2eevil.example:443",
      "evil.example/allowed.example:443",
      "evil.example\\allowed.example:443",
      "evil.example#allowed.example:443",
      "evil.example allowed.example:443",
      "evil.example\r\nHost: allowed.example:443",
      "bücher.example:443",
      "аllowed.example:443",
      "allowed。example:443",
      "allowed..example:443",
      ".allowed.example:443",
      "allowed.example..:443",
      ".:443",
      ":443",
      "allowed.example",
      "allowed.example:",
      "allowed.example:0",
      "allowed.example:65536",
      "allowed.example:443:80",
      "allowed.example:+443",
      "::1:443",
      "[::1%lo]:443",
      "[::1:443",
      "[127.0.0.1]:443",
      "256.1.1.1:443",
      "1.2.3.4.5:443",
      "127.0.0.0x100:443",
      "127.0.0.09:443",
      `${"a".repeat(64)}.example:443`,
      `${"a.".repeat(130)}example:443`,
    ];
    assert.deepEqual(
      wrong.filter((text) => readAuthority(text) !== undefined),
      [],
    );
  });

  it("is an address in every form that has one", () => {
    const forms = [
      "127.0.0.1",
      "127.1",
      "127.0.1",
      "0x7f.1",
      "0x7f000001",
      "2130706433",
      "0177.0.0.1",
      "017700000001",
      "127.0.0.1.",
    ];
    const inSix = ["[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::FFFF:7F00:0001]"];
    assert.deepEqual(
      [...forms, ...inSix].map((text) => readTarget(text, 80)?.host),
      [...forms, ...inSix].map(() => "127.0.0.1"),
    );
    assert.deepEqual(
      ["[::1]", "[0:0:0:0:0:0:0:1]", "[0::0:1]"].map((text) => readTarget(text, 80)?.host),
      ["[::1]", "[::1]", "[::1]"],
    );
  });

  it("is never read as another one than programs read", () => {
    const piece = fc.constantFrom(
      "a",
      "Z",
      "7",
      "0x7f",
      "0177",
      "0",
      "255",
      "256",
      "1e3",
      "-",
      "_",
      ".",
      "..",
      "xn--a",
      "com",
      "08",
      "0x",
      "4294967295",
      "4294967296",
    );
    const written = fc.oneof(
      fc.array(piece, { minLength: 1, maxLength: 7 }).map((all) => all.join("")),
      fc.ipV4(),
      fc.ipV4Extended(),
      fc.domain(),
    );
    fc.assert(
      fc.property(written, (host) => {
        const read = readTarget(host, 80);
        if (read === undefined) return;
        const other = asUrl(host);
        // URLs refuse some names that resolvers take: then nobody reads another one.
        if (other !== undefined) assert.equal(read.host, other.replace(/\.$/, ""));
        else assert.equal(read.address, undefined);
      }),
      { numRuns: 3_000 },
    );
  });

  it("is the same address of IPv6 that programs read", () => {
    const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff })).map((number) => number.toString(16));
    const text = fc.oneof(
      fc.ipV6(),
      fc.array(group, { minLength: 8, maxLength: 8 }).map((groups) => groups.join(":")),
      fc
        .array(fc.oneof(group, fc.constantFrom(":", "::", "1.2.3.4", "g", "12345", "")), { minLength: 1, maxLength: 9 })
        .map((all) => all.join(":")),
    );
    fc.assert(
      fc.property(text, (host) => {
        const read = readTarget(`[${host}]`, 80);
        const other = asUrl(`[${host}]`);
        assert.equal(read === undefined, other === undefined);
        if (read?.address?.length === 16) assert.equal(read.host, other);
      }),
      { numRuns: 3_000 },
    );
  });

  it("keeps an address in its one spelling", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        const text = addressText([...bytes]);
        const again = readAddress(text);
        assert.equal(again && addressText(again), again?.length === 4 ? again.join(".") : text);
      }),
    );
  });
});

describe("the host of a rule", () => {
  const problemOf = (host: string): string | undefined =>
    parseGuardFile(JSON.stringify({ rules: [{ effect: "deny", host }] }), { file: "g", isOfProject: false })
      .problems[0];

  it("is a name, an address or all below a name, with a port or without", () => {
    const hosts = ["api.example.com", "API.example:8443", "*.example", "*.example:443", "a_b.example", "localhost:80"];
    const addresses = ["10.0.0.1", "127.0.0.1:80", "[::1]", "[fd00::1]:80"];
    assert.deepEqual(
      [...hosts, ...addresses].map(problemOf),
      [...hosts, ...addresses].map(() => undefined),
    );
  });

  it("is refused in a spelling by which it would never match", () => {
    const wrong = [
      "fd00::1",
      "[fd00::1",
      "a..example",
      "a.example:",
      "a.example:0443",
      "a.example:0",
      "*.0.0.1",
      "*.",
      "*",
    ];
    for (const host of wrong) assert.match(problemOf(host) ?? "", /The host ".*" isn't valid: write a name/, host);
    const others = {
      "evil.example.": "evil.example",
      "127.1": "127.0.0.1",
      "[FD00:0::1]": "[fd00::1]",
      "[::ffff:a00:1]:80": "10.0.0.1",
    };
    for (const [host, right] of Object.entries(others)) {
      assert.ok(
        problemOf(host)?.includes(`must be written ${JSON.stringify(right)}.`),
        `${host} ${problemOf(host) ?? ""}`,
      );
    }
  });
});

describe("what is at an address", () => {
  it("is told for machines, networks and services that no name of the internet leads to", () => {
    const places = {
      loopback: [
        "127.0.0.1",
        "127.255.1.2",
        "0.0.0.0",
        "0.1.2.3",
        "::1",
        "::",
        "::ffff:127.0.0.1",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
      ],
      private: [
        "10.0.0.1",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "100.64.0.1",
        "fc00::1",
        "fd12::1",
        "fec0::1",
        "64:ff9b::a00:1",
        "::ffff:0:10.0.0.1",
      ],
      "link-local": ["169.254.1.1", "fe80::1", "febf::1"],
      metadata: [
        "169.254.169.254",
        "::ffff:a9fe:a9fe",
        "fd00:ec2::254",
        "100.100.100.200",
        "168.63.129.16",
        "64:ff9b::a9fe:a9fe",
      ],
      reserved: [
        "192.0.2.1",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "2001:db8::1",
        "2001:0:4136:e378::1",
        "ff02::1",
        "4000::1",
      ],
      public: [
        "1.1.1.1",
        "8.8.8.8",
        "172.32.0.1",
        "100.128.0.1",
        "11.0.0.1",
        "2606:4700::1111",
        "2002:808:808::",
        "64:ff9b::808:808",
      ],
    };
    for (const [kind, addresses] of Object.entries(places)) {
      assert.deepEqual(
        addresses.map(kindOf),
        addresses.map(() => kind),
        addresses.join(" "),
      );
    }
  });
});
