import assert from "node:assert/strict";
import { Place, type Problem } from "../../src/base/problem.js";
import { parsePlacement, placementShape, placementText, placementWords } from "../../src/settings/placement.js";

const here = { engine: "docker", folder: "/home/me/project" } as const;
const script = /^PATH="\$PATH:\$HOME\/\.local\/bin"; .*exec symposium-acp-agent host --stdio$/;

/** The command line of a placement's text, with `SCRIPT` for the shell script. */
function words(text: string): readonly string[] | string {
  const placement = parsePlacement(text);
  if (placement.kind === "problem") return placement.message;
  return placementWords(placement, here).map((word) => (script.test(word) ? "SCRIPT" : word));
}

describe("a placement", () => {
  it("becomes the command line of the engine's own client", () => {
    const inShell = ["sh", "-c", "SCRIPT"];
    assert.deepEqual(words("container:web"), ["docker", "exec", "-i", "web", ...inShell]);
    assert.deepEqual(words("podman:web"), ["podman", "exec", "-i", "web", ...inShell]);
    assert.deepEqual(words("devcontainer"), [
      ...["devcontainer", "exec", "--workspace-folder", "/home/me/project"],
      ...inShell,
    ]);
    assert.deepEqual(words("kubernetes:agent-0"), ["kubectl", "exec", "-i", "agent-0", "--", ...inShell]);
    assert.deepEqual(words("kubernetes:dev/agent-0/main"), [
      ...["kubectl", "--namespace", "dev", "exec", "-i", "agent-0", "--container", "main", "--"],
      ...inShell,
    ]);
    assert.deepEqual(words(`{"kubernetes":{"pod":"agent-0","context":"west"}}`), [
      ...["kubectl", "--context", "west", "exec", "-i", "agent-0", "--"],
      ...inShell,
    ]);
    assert.deepEqual(words("command:limactl shell 'my vm'"), [
      ...["limactl", "shell", "my vm", "symposium-acp-agent", "host", "--stdio"],
    ]);
  });

  it("passes SSH one line that every login shell reads alike", () => {
    const line = words("ssh:robin@build.example").at(-1) ?? "";
    assert.deepEqual(words("ssh:robin@build.example").slice(0, -1), ["ssh", "-T", "--", "robin@build.example"]);
    const [, inner = ""] = /^exec sh -c '([^']*)'$/.exec(line) ?? [];
    assert.match(inner, script);
    assert.doesNotMatch(inner, /!|\n/);
  });

  it("refuses names that would be options or several words", () => {
    const refused = [
      ...["ssh:-oProxyCommand=x", "ssh:", "ssh:a b", "ssh:a\nb", "container:--privileged", "docker:", "podman:-x"],
      ...["kubernetes:-x", "kubernetes:", "kubernetes:--all/pod", "kubernetes:a/b/-c", "kubernetes:a/b/c/d"],
      ...["command:", "command:-x", "command:a | b", "devcontainer:x", "vm:x", "", "{", "[]", "null"],
      ...[`{"ssh":"a","container":"b"}`, `{"ssh":1}`, `{"command":[]}`, `{"command":"a"}`, `{"devcontainer":false}`],
      ...[`{"kubernetes":{"pod":"a","context":"--kubeconfig=x"}}`, `{"container":"a","engine":"runc"}`],
    ];
    const accepted = refused.filter((text) => parsePlacement(text).kind !== "problem");
    assert.deepEqual(accepted, []);
    assert.equal(
      words("ssh:-x"),
      `--on ssh:-x: "ssh" must be a name without spaces that doesn't begin with "-", got "-x".`,
    );
  });

  it("is named as `--on` takes it", () => {
    const texts = ["ssh:h", "container:c", "docker:c", "devcontainer", "kubernetes:n/p", "command:a 'b c'"];
    const named = texts.map((text) => {
      const placement = parsePlacement(text);
      return placement.kind === "problem" ? placement.message : placementText(placement);
    });
    assert.deepEqual(named, texts);
  });

  it("names the key of config.jsonc that is wrong", () => {
    const problems: Problem[] = [];
    assert.equal(placementShape.read({ kubernetes: { pod: "-x" } }, new Place(problems).child("on")), null);
    assert.deepEqual(
      problems.map(({ path }) => path),
      [["on", "kubernetes", "pod"]],
    );
  });
});
