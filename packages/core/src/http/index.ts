export { publicError } from './public-error.ts'
export { MAX_DEPTH, readJson, readText } from './read-json.ts'
