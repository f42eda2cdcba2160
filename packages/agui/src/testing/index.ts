export { brief, judge, wire } from './judge.ts'
export { scriptedSource } from './scripted-source.ts'
export type { Scene, Stage } from './scripted-source.ts'
