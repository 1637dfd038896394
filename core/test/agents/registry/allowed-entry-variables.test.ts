import assert from "node:assert/strict";
import { isAllowedVariable } from "../../../src/agents/registry/allowed-entry-variables.js";

describe("isAllowedVariable", () => {
  const allowed = [
    "AUGMENT_DISABLE_AUTO_UPDATE",
    "VT_ACP_ENABLED",
    "FAST_AGENT_MODEL",
    "ANTHROPIC_MODEL",
    "NODENAME",
    "_A1",
  ];
  for (const name of allowed) it(`allows ${name}`, () => assert.ok(isAllowedVariable(name)));

  const reserved = [
    "PATH",
    "Path",
    "HOME",
    "NODE_OPTIONS",
    "node_options",
    "LD_PRELOAD",
    "DYLD_INSERT_LIBRARIES",
    "GITHUB_TOKEN",
    "XDG_CONFIG_HOME",
    "PYTHONPATH",
    "PYTHON_BASIC_REPL",
    "npm_config_registry",
    "UV_INDEX_URL",
    "PIP_INDEX_URL",
    "SSH_AUTH_SOCK",
    "AWS_PROFILE",
    "SystemRoot",
    "BASH_ENV",
    "GIT_SSH_COMMAND",
    "HTTPS_PROXY",
    "ELECTRON_RUN_AS_NODE",
    "SYMPOSIUM_CONFIG_DIR",
  ];
  for (const name of reserved) it(`refuses ${name}`, () => assert.ok(!isAllowedVariable(name)));

  for (const name of ["", "A B", " PATH", "A=B", "1A", "PATH\0", "Ä"]) {
    it(`refuses ${JSON.stringify(name)}, which is no name`, () => assert.ok(!isAllowedVariable(name)));
  }
});
