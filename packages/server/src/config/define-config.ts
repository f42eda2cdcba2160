import type { SkeinOptions } from '../create-skein.ts'
import type { ServeOptions } from '../serve.ts'

/** What `skein.config.ts` exports. */
export interface Config extends SkeinOptions, ServeOptions {}

/** What the command line tells a config that is a function. */
export interface ConfigContext {
  /** `provider:name` from `--model` or `SKEIN_MODEL`; absent when neither is set. */
  readonly model?: string
}

/** A config, or how to make one: a function learns which model was asked for. */
export type ConfigInput = Config | ((context: ConfigContext) => Config | Promise<Config>)

/** Gives a config file its types. */
export function defineConfig<T extends ConfigInput>(config: T): T {
  return config
}
