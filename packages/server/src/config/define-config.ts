import type { ClewlineOptions } from '../create-clewline.ts'
import type { ServeOptions } from '../serve.ts'

/** What `clewline.config.ts` exports. */
export interface Config extends ClewlineOptions, ServeOptions {}

/** What the command line tells a config that is a function. */
export interface ConfigContext {
  /** `provider:name` from `--model` or `CLEWLINE_MODEL`; absent when neither is set. */
  readonly model?: string
}

/** A config, or how to make one: a function learns which model was asked for. */
export type ConfigInput = Config | ((context: ConfigContext) => Config | Promise<Config>)

/** Gives a config file its types. */
export function defineConfig<T extends ConfigInput>(config: T): T {
  return config
}
