import { isDeepStrictEqual } from 'node:util'

/** Adds what is not there yet, by structural equality. */
export function append<T>(values: readonly T[], value: T): readonly T[] {
  return values.some((each) => isDeepStrictEqual(each, value)) ? values : [...values, value]
}

/** Replaces the value with the same key in its place, or adds it. */
export function upsertBy<T>(key: (value: T) => unknown): (values: readonly T[], value: T) => readonly T[] {
  return (values, value) => {
    const at = values.findIndex((each) => isDeepStrictEqual(key(each), key(value)))
    return at === -1 ? [...values, value] : values.with(at, value)
  }
}

/** Only the newest stays. */
export function replaceLatest<T>(_values: readonly T[], value: T): readonly T[] {
  return [value]
}

/** The newest of each key stays, at the end. */
export function replaceLatestBy<T>(
  key: (value: T) => unknown,
): (values: readonly T[], value: T) => readonly T[] {
  return (values, value) => [...values.filter((each) => !isDeepStrictEqual(key(each), key(value))), value]
}
