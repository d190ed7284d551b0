/** What a job gets of the environment Errand was started in: enough to find programs and speak a language, no more. */
const passed = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TZ', 'TMPDIR', 'ERRAND_MARKS'];
const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export function baseEnvironment(from: NodeJS.ProcessEnv): Record<string, string> {
  const base: Record<string, string> = { PATH: defaultPath };
  for (const [name, value] of Object.entries(from)) {
    if (value !== undefined && (passed.includes(name) || name.startsWith('LC_'))) base[name] = value;
  }
  return base;
}

/**
 * A job that runs Errand itself hands its own marks on, so that ending the outer job finds the inner ones too.
 * Neither name can be set from outside: the mark is how a job's processes are found.
 */
export function jobEnvironment(
  base: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
  secrets: Readonly<Record<string, string>>,
  identity: { readonly key: string; readonly mark: string },
): Record<string, string> {
  const outer = base['ERRAND_MARKS'];
  return {
    ...base,
    ...own,
    ...secrets,
    ERRAND_JOB: identity.key,
    ERRAND_MARKS: outer ? `${outer},${identity.mark}` : identity.mark,
  };
}
