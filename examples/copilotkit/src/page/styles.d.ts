declare module '@copilotkit/react-core/v2/styles.css'
