/** What survives `JSON.parse(JSON.stringify(value))` unchanged. Everything in an envelope is of this type. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject

/** An object of JSON. */
export interface JsonObject {
  readonly [key: string]: Json
}
