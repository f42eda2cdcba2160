/** The key of `config.configurable` under which a run's frontend tools reach the graph. */
export const FRONTEND_TOOLS = 'clewline_frontend_tools'
