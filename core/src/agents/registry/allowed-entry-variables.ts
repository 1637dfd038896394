/** Variables that control how a process or runtime starts, its file locations, or its identity to other services. */
const reservedNames = new Set([
  "BASH_ENV",
  "CDPATH",
  "CI",
  "CLASSPATH",
  "COMSPEC",
  "CURL_CA_BUNDLE",
  "ENV",
  "GCONV_PATH",
  "HOME",
  "IFS",
  "JAVA_TOOL_OPTIONS",
  "JDK_JAVA_OPTIONS",
  "LOCALAPPDATA",
  "APPDATA",
  "PATH",
  "PATHEXT",
  "PERL5LIB",
  "PERL5OPT",
  "PROMPT_COMMAND",
  "PSMODULEPATH",
  "REQUESTS_CA_BUNDLE",
  "RUBYLIB",
  "RUBYOPT",
  "SHELL",
  "SHELLOPTS",
  "SSL_CERT_DIR",
  "SSL_CERT_FILE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "TMPDIR",
  "USERPROFILE",
  "WINDIR",
  "ZDOTDIR",
  "_JAVA_OPTIONS",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
]);
const reservedPrefixes = [
  "ACTIONS_",
  "AWS_",
  "AZURE_",
  "BASH_FUNC_",
  "CARGO_",
  "DYLD_",
  "ELECTRON_",
  "GCLOUD_",
  "GITHUB_",
  "GIT_",
  "GOOGLE_",
  "LD_",
  "NODE_",
  "NPM_",
  "PIP_",
  "PYTHON",
  "RUNNER_",
  "RUSTUP_",
  "SSH_",
  "SYMPOSIUM_",
  "UV_",
  "XDG_",
];
const wellFormedName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Whether a published entry may set the environment variable. Denies the names that the agent registry's checks drop, and others with the
 * same power; ignores case, since some systems do.
 */
export function isAllowedVariable(name: string): boolean {
  const upper = name.toUpperCase();
  if (!wellFormedName.test(name) || reservedNames.has(upper)) return false;
  return !reservedPrefixes.some((prefix) => upper.startsWith(prefix));
}
