/** What `errand init` writes: everything that can be said, and nothing that must be. */
export const starterConfig = `# errand.yaml: where work may run. Check it with \`errand config check\`.
# An environment is a name and a description; nothing is alive until something runs in it.
environments:
  # errand run --on ci -- npm test
  ci:
    provider: local
    timeout: 20m # ends the command after this time
    # pending_timeout: 5m    # gives up when it could not start by then
    # grace: 10s             # between asking a job to end and forcing it
    lease:
      policy: fresh # a place of its own for every run; or reuse, or keep-on-failure
      ttl: 30m # given back by then, whatever happens
    # warm: 2                # so many places are kept ready; each costs until it is used
    # provision:             # once in a new place, before its first job
    #   - npm install -g pnpm
    env:
      CI: "1"
      # Taken from the shell that runs errand; after :- stands what is used when it is not set.
      LOG_LEVEL: \${env:LOG_LEVEL:-info}
      # A secret is named here and read at the last moment; its value is never stored or shown.
      # TOKEN: { secret: secret://env/CI_TOKEN }
      # API_KEY: { secret: secret://file/api-key } # ~/.config/errand/secrets/api-key, mode 0600
    # labels: { team: platform }

  # The same, with more time. Maps are merged; what is written here wins.
  ci-long:
    extends: ci
    timeout: 1h30m

# secrets:
#   directory: ~/.config/errand/secrets # the root of secret://file/…

# store: sqlite # or postgres://user@host/database, shared by many machines
`;
