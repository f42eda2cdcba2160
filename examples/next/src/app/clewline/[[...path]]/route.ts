import { clewline } from '../../../clewline.ts'

// The log is in files, so the route runs on Node, not at the edge, and nothing of it is static.
export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

const handler = async (request: Request): Promise<Response> => (await clewline).fetch(request)

export { handler as DELETE, handler as GET, handler as PATCH, handler as POST }
