/* FMI 2.0: model exchange and co-simulation. */
#include "solver.c"

typedef enum { OK, Warning, Discard, Error, Fatal, Pending } Status;
typedef const char *String;
typedef struct {
    int newDiscreteStatesNeeded, terminateSimulation, nominalsChanged, valuesChanged, nextEventTimeDefined;
    double nextEventTime;
} EventInfo;
#define EXPORT __attribute__((visibility("default")))
#define NOT_THERE(name, ...) EXPORT Status name(void *c, __VA_ARGS__) { (void)c; return Error; }

EXPORT String fmi2GetTypesPlatform(void) { return "default"; }
EXPORT String fmi2GetVersion(void) { return "2.0"; }
EXPORT Status fmi2SetDebugLogging(void *c, int on, size_t n, const String *names) { (void)c; (void)on; (void)n; (void)names; return OK; }
EXPORT void *fmi2Instantiate(String name, int type, String guid, String place, const void *functions, int visible, int logging)
{
    (void)name; (void)type; (void)place; (void)functions; (void)visible; (void)logging;
    return guid && strcmp(guid, MODEL_TOKEN) == 0 ? make() : NULL;
}
EXPORT void fmi2FreeInstance(void *c) { free(c); }
EXPORT Status fmi2SetupExperiment(void *c, int given, double tolerance, double start, int stops, double stop)
{
    (void)stops; (void)stop;
    ((Instance *)c)->t = start;
    if (given && tolerance > 0)
        ((Instance *)c)->rtol = tolerance;
    return OK;
}
EXPORT Status fmi2EnterInitializationMode(void *c) { (void)c; return OK; }
EXPORT Status fmi2ExitInitializationMode(void *c) { model_normalise(((Instance *)c)->y); return OK; }
EXPORT Status fmi2Terminate(void *c) { (void)c; return OK; }
EXPORT Status fmi2Reset(void *c) { begin(c); return OK; }
EXPORT Status fmi2GetReal(void *c, const unsigned *vr, size_t n, double *v)
{
    for (size_t i = 0; i < n; ++i)
        if (get_value(c, vr[i], &v[i]) != 0)
            return Error;
    return OK;
}
EXPORT Status fmi2SetReal(void *c, const unsigned *vr, size_t n, const double *v)
{
    for (size_t i = 0; i < n; ++i)
        if (set_value(c, vr[i], v[i]) != 0)
            return Error;
    return OK;
}
NOT_THERE(fmi2GetInteger, const unsigned *a, size_t n, int *v)
NOT_THERE(fmi2GetBoolean, const unsigned *a, size_t n, int *v)
NOT_THERE(fmi2GetString, const unsigned *a, size_t n, String *v)
NOT_THERE(fmi2SetInteger, const unsigned *a, size_t n, const int *v)
NOT_THERE(fmi2SetBoolean, const unsigned *a, size_t n, const int *v)
NOT_THERE(fmi2SetString, const unsigned *a, size_t n, const String *v)
EXPORT Status fmi2GetFMUstate(void *c, void **state)
{
    if (!*state)
        *state = make();
    if (!*state)
        return Error;
    memcpy(*state, c, sizeof(Instance));
    return OK;
}
EXPORT Status fmi2SetFMUstate(void *c, void *state) { memcpy(c, state, sizeof(Instance)); return OK; }
EXPORT Status fmi2FreeFMUstate(void *c, void **state) { (void)c; free(*state); *state = NULL; return OK; }
NOT_THERE(fmi2SerializedFMUstateSize, void *s, size_t *n)
NOT_THERE(fmi2SerializeFMUstate, void *s, char *b, size_t n)
NOT_THERE(fmi2DeSerializeFMUstate, const char *b, size_t n, void **s)
NOT_THERE(fmi2GetDirectionalDerivative, const unsigned *u, size_t m, const unsigned *k, size_t n, const double *d, double *v)
EXPORT Status fmi2SetRealInputDerivatives(void *c, const unsigned *vr, size_t n, const int *order, const double *v) { (void)c; (void)vr; (void)n; (void)order; (void)v; return Error; }
EXPORT Status fmi2GetRealOutputDerivatives(void *c, const unsigned *vr, size_t n, const int *order, double *v) { (void)c; (void)vr; (void)n; (void)order; (void)v; return Error; }
EXPORT Status fmi2DoStep(void *c, double t, double h, int no_return) { (void)no_return; return go_to(c, t + h) == 0 ? OK : Error; }
EXPORT Status fmi2CancelStep(void *c) { (void)c; return Error; }
NOT_THERE(fmi2GetStatus, int kind, int *v)
NOT_THERE(fmi2GetRealStatus, int kind, double *v)
NOT_THERE(fmi2GetIntegerStatus, int kind, int *v)
NOT_THERE(fmi2GetBooleanStatus, int kind, int *v)
NOT_THERE(fmi2GetStringStatus, int kind, String *v)
EXPORT Status fmi2EnterEventMode(void *c) { (void)c; return OK; }
EXPORT Status fmi2NewDiscreteStates(void *c, EventInfo *info) { (void)c; memset(info, 0, sizeof(*info)); return OK; }
EXPORT Status fmi2EnterContinuousTimeMode(void *c) { (void)c; return OK; }
EXPORT Status fmi2CompletedIntegratorStep(void *c, int no_return, int *event, int *stop) { (void)c; (void)no_return; *event = *stop = 0; return OK; }
EXPORT Status fmi2SetTime(void *c, double t) { ((Instance *)c)->t = t; return OK; }
EXPORT Status fmi2SetContinuousStates(void *c, const double *y, size_t n) { memcpy(((Instance *)c)->y, y, n * sizeof(double)); return n == NY ? OK : Error; }
EXPORT Status fmi2GetDerivatives(void *c, double *ydot, size_t n) { return n == NY && rates(c, ((Instance *)c)->t, ((Instance *)c)->y, ydot) == 0 ? OK : Error; }
EXPORT Status fmi2GetEventIndicators(void *c, double *v, size_t n) { (void)c; (void)v; return n == 0 ? OK : Error; }
EXPORT Status fmi2GetContinuousStates(void *c, double *y, size_t n) { memcpy(y, ((Instance *)c)->y, n * sizeof(double)); return n == NY ? OK : Error; }
EXPORT Status fmi2GetNominalsOfContinuousStates(void *c, double *v, size_t n)
{
    (void)c;
    for (size_t i = 0; i < n; ++i)
        v[i] = 1.0;
    return OK;
}
