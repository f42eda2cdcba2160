export { langChainTools } from './lang-chain-tools.ts'
export { sessionCheckpointer } from './session-checkpointer.ts'
