export { publicError } from './public-error.ts'
export type { BodyLimits } from './read-json.ts'
export { checkShape, MAX_DEPTH, readJson, readText } from './read-json.ts'
