// Stands in for the modules of vscode-languageclient whose features Symposium's language server doesn't have.
class InertFeature {
  fillClientCapabilities() {}
  initialize() {}
  clear() {}
  getState() {
    return { kind: "static" };
  }
}

module.exports = new Proxy({}, { get: () => InertFeature });
