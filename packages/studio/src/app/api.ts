import { createApi } from '../connection/api.ts'
import { settings } from './settings.ts'

/** The server that the page came from. */
export const api = createApi({ token: () => settings.getState().token || null })
