/** Variables that sandboxed programs inherit. Keys, sockets and addresses of session services aren't included. */
const inherited: readonly RegExp[] = [
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|TZ|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|CI|EDITOR|VISUAL|PAGER)$/,
  /^LC_\w+$/,
  /^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE)$/,
  /^GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL)$/,
  /^(?:JAVA_HOME|GOROOT|GOTOOLCHAIN|RUSTUP_HOME|RUSTUP_TOOLCHAIN|VIRTUAL_ENV|CONDA_PREFIX|NVM_DIR|NVM_BIN|VOLTA_HOME)$/,
  /^(?:PYENV_ROOT|DOTNET_ROOT|ANDROID_HOME|BUN_INSTALL|PNPM_HOME|npm_config_registry)$/,
];

/**
 * Builds a sandboxed program's environment from the safe variables in `env`, the variables in `env` that match `patterns`, and all of
 * `given`, which were set explicitly.
 */
export function cleanEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  patterns: readonly RegExp[],
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const all = [...inherited, ...patterns];
  const kept = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && all.some((pattern) => pattern.test(name)) ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(kept), ...given, TMPDIR: "/tmp" };
}
