import assert from "node:assert/strict";
import type { ServerLaunch } from "../../../src/settings/user-server.js";
import { toOwnVariables, type VariableDialect } from "../../../src/context/servers/foreign-variables.js";
import {
  escapeVariables,
  expandLaunch,
  expandText,
  type Lookup,
  variableNames,
} from "../../../src/context/servers/variables.js";

const values: Readonly<Record<string, string>> = {
  "env:HOST": "example.org",
  "env:EMPTY": "",
  "env:NESTED": "${env:HOST} $${x}",
  "secret:token": "s3cr3t$&",
  "input:org": "acme",
  "place:workspaceFolder": "/work/app",
  "place:workspaceFolderBasename": "app",
  "place:userHome": "/home/me",
  "place:pathSeparator": "/",
};
const lookup: Lookup = (variable) =>
  variable.kind === "unknown" ? undefined : values[`${variable.kind}:${variable.name}`];

const expanded: readonly (readonly [text: string, value: string])[] = [
  ["plain $HOME %PATH% {x} $5", "plain $HOME %PATH% {x} $5"],
  ["https://${env:HOST}/x", "https://example.org/x"],
  ["${HOST}", "example.org"],
  ["${HOST:-other}", "example.org"],
  ["${env:NOBODY:-a:b -c}", "a:b -c"],
  ["${NOBODY:-}", ""],
  ["${env:EMPTY}", ""],
  ["${env:EMPTY:-filled}", "filled"],
  ["Bearer ${secret:token}", "Bearer s3cr3t$&"],
  ["${input:org}/${input:org}", "acme/acme"],
  ["${userHome}${pathSeparator}x", "/home/me/x"],
  ["${workspaceFolder} ${workspaceFolderBasename}", "/work/app app"],
  ["one pass: ${env:NESTED}", "one pass: ${env:HOST} $${x}"],
  ["$${env:HOST} $$ $${", "${env:HOST} $$ $${"],
  ["$$${env:HOST} $$$${env:HOST}", "$example.org $${env:HOST}"],
  ["an open ${env:HOST", "an open ${env:HOST"],
];

const missing: readonly (readonly [text: string, names: readonly string[]])[] = [
  ["${env:NOBODY} ${NOBODY} ${secret:other}", ["${env:NOBODY}", "${secret:other}"]],
  ["${input:none}", ["${input:none}"]],
  ["${config:editor.font} ${}", ["${config:editor.font}", "${}"]],
  ["${secret:a:-b}", ["${secret:a:-b}"]],
  ["${A:-${B}}", ["${A:-${B}}"]],
  ["${env:}", ["${env:}"]],
  ["${secret:login:x} ${secret:input:x}", ["${secret:login:x}", "${secret:input:x}"]],
];

const foreign: readonly (readonly [
  dialect: VariableDialect,
  text: string,
  own: string,
  unknown?: readonly string[],
])[] = [
  ["editor", "${env:X} ${input:i} ${workspaceFolder}${/}", "${env:X} ${input:i} ${workspaceFolder}${pathSeparator}"],
  ["editor", "${X} $X", "$${X} $X"],
  ["editor", "${command:pick} ${config:a.b}", "${command:pick} ${config:a.b}", ["${command:pick}", "${config:a.b}"]],
  ["braces", "${X} ${Y:-d} $Z ${input:i}", "${env:X} ${env:Y:-d} $Z $${input:i}"],
  ["braces", "$${X}", "$$${env:X}"],
  // No other product has secrets of ours.
  ["editor", "${secret:token}", "$${secret:token}", ["${secret:token}"]],
  ["editor", "$${secret:token}", "$$$${secret:token}", ["${secret:token}"]],
  ["shell", "$X ${Y} ${Z:-d} %W%", "${env:X} ${env:Y} ${env:Z:-d} %W%"],
  ["system", "$X ${Y} %Z% 5%", "${env:X:-} ${env:Y:-} ${env:Z:-} 5%"],
  ["curly", "{env:X} ${Y}", "${env:X} $${Y}"],
  ["curly", "{file:~/key}", "{file:~/key}", ["{file:~/key}"]],
  ["none", "${env:X} $Y", "$${env:X} $Y"],
];

describe("variables of a server", () => {
  for (const [text, value] of expanded) {
    it(`makes ${JSON.stringify(value)} of ${JSON.stringify(text)}`, () => {
      assert.deepEqual(expandText(text, lookup), { value });
    });
  }

  for (const [text, names] of missing) {
    it(`misses ${names.join(", ")} in ${JSON.stringify(text)}`, () => {
      assert.deepEqual(expandText(text, lookup), { missing: names });
    });
  }

  it("keeps any text that is escaped", () => {
    for (const text of ["${a}", "$${a}", "a$b", "${a", "$", "$$${secret:x}", "${a:-${b}}"]) {
      assert.deepEqual(expandText(escapeVariables(text), lookup), { value: text });
    }
  });

  it("expands every text of a program, and says all that is missing, each once", () => {
    const launch: ServerLaunch = {
      type: "stdio",
      command: "${userHome}/bin/server",
      args: ["--org", "${input:org}"],
      env: { TOKEN: "${secret:token}", "${NAME}": "x" },
      cwd: "${workspaceFolder}",
      envFile: "${workspaceFolder}/.env",
    };
    assert.deepEqual(expandLaunch(launch, lookup), {
      value: {
        type: "stdio",
        command: "/home/me/bin/server",
        args: ["--org", "acme"],
        env: { TOKEN: "s3cr3t$&", "${NAME}": "x" },
        cwd: "/work/app",
        envFile: "/work/app/.env",
      },
    });
    const without = { ...launch, args: ["${secret:a}", "${secret:a}"], cwd: "${env:WHERE}" };
    assert.deepEqual(expandLaunch(without, lookup), { missing: ["${secret:a}", "${env:WHERE}"] });
  });

  it("expands address and headers of a remote server, and names what it needs without a value", () => {
    const launch: ServerLaunch = {
      type: "http",
      url: "https://${env:HOST:-localhost}/mcp",
      headers: { Authorization: "Bearer ${secret:token}" },
    };
    assert.deepEqual(expandLaunch(launch, lookup), {
      value: { type: "http", url: "https://example.org/mcp", headers: { Authorization: "Bearer s3cr3t$&" } },
    });
    assert.deepEqual(variableNames(launch), ["${secret:token}", "${env:HOST}"]);
  });
});

describe("variables of other products", () => {
  for (const [dialect, text, own, unknown = []] of foreign) {
    it(`are converted from ${dialect}: ${text}`, () => {
      assert.deepEqual(toOwnVariables(text, dialect), { text: own, unknown });
    });
  }
});

describe("texts that strangers write", () => {
  it("are read in time that grows with their length alone", () => {
    const marks = "$".repeat(1_000_000);
    assert.deepEqual(expandText(marks, lookup), { value: marks });
    assert.equal(toOwnVariables(`${marks}x`, "editor").text, `${marks}x`);
  });
});
