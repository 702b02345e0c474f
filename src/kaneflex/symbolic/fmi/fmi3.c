/* FMI 3.0: model exchange and co-simulation. */
#include <stdbool.h>
#include <stdint.h>
#include "solver.c"

typedef enum { OK, Warning, Discard, Error, Fatal } Status;
typedef const char *String;
typedef unsigned Ref;
#define EXPORT __attribute__((visibility("default")))
#define NOT_THERE(name, ...) EXPORT Status name(void *c, __VA_ARGS__) { (void)c; return Error; }
#define VALUES(kind, type) \
    NOT_THERE(fmi3Get##kind, const Ref *vr, size_t n, type *v, size_t m) \
    NOT_THERE(fmi3Set##kind, const Ref *vr, size_t n, const type *v, size_t m)

EXPORT String fmi3GetVersion(void) { return "3.0"; }
EXPORT Status fmi3SetDebugLogging(void *c, bool on, size_t n, const String *names) { (void)c; (void)on; (void)n; (void)names; return OK; }
static void *instance(String token) { return token && strcmp(token, MODEL_TOKEN) == 0 ? make() : NULL; }
EXPORT void *fmi3InstantiateModelExchange(String name, String token, String place, bool visible, bool logging, void *environment, void *log)
{
    (void)name; (void)place; (void)visible; (void)logging; (void)environment; (void)log;
    return instance(token);
}
EXPORT void *fmi3InstantiateCoSimulation(String name, String token, String place, bool visible, bool logging, bool event_mode,
    bool early, const Ref *intermediate, size_t n, void *environment, void *log, void *update)
{
    (void)name; (void)place; (void)visible; (void)logging; (void)event_mode; (void)early;
    (void)intermediate; (void)n; (void)environment; (void)log; (void)update;
    return instance(token);
}
EXPORT void *fmi3InstantiateScheduledExecution(String name, String token, String place, bool visible, bool logging,
    void *environment, void *log, void *update, void *lock, void *unlock)
{
    (void)name; (void)token; (void)place; (void)visible; (void)logging;
    (void)environment; (void)log; (void)update; (void)lock; (void)unlock;
    return NULL;
}
EXPORT void fmi3FreeInstance(void *c) { free(c); }
EXPORT Status fmi3EnterInitializationMode(void *c, bool given, double tolerance, double start, bool stops, double stop)
{
    (void)stops; (void)stop;
    ((Instance *)c)->t = start;
    if (given && tolerance > 0)
        ((Instance *)c)->rtol = tolerance;
    return OK;
}
EXPORT Status fmi3ExitInitializationMode(void *c) { model_normalise(((Instance *)c)->y); return OK; }
EXPORT Status fmi3EnterEventMode(void *c) { (void)c; return OK; }
EXPORT Status fmi3Terminate(void *c) { (void)c; return OK; }
EXPORT Status fmi3Reset(void *c) { begin(c); return OK; }
EXPORT Status fmi3GetFloat64(void *c, const Ref *vr, size_t n, double *v, size_t m)
{
    for (size_t i = 0; i < n && i < m; ++i)
        if (get_value(c, vr[i], &v[i]) != 0)
            return Error;
    return OK;
}
EXPORT Status fmi3SetFloat64(void *c, const Ref *vr, size_t n, const double *v, size_t m)
{
    for (size_t i = 0; i < n && i < m; ++i)
        if (set_value(c, vr[i], v[i]) != 0)
            return Error;
    return OK;
}
VALUES(Float32, float)
VALUES(Int8, int8_t)
VALUES(UInt8, uint8_t)
VALUES(Int16, int16_t)
VALUES(UInt16, uint16_t)
VALUES(Int32, int32_t)
VALUES(UInt32, uint32_t)
VALUES(Int64, int64_t)
VALUES(UInt64, uint64_t)
VALUES(Boolean, bool)
VALUES(String, String)
NOT_THERE(fmi3GetBinary, const Ref *vr, size_t n, size_t *s, const uint8_t **v, size_t m)
NOT_THERE(fmi3SetBinary, const Ref *vr, size_t n, const size_t *s, const uint8_t *const *v, size_t m)
NOT_THERE(fmi3GetClock, const Ref *vr, size_t n, bool *v)
NOT_THERE(fmi3SetClock, const Ref *vr, size_t n, const bool *v)
NOT_THERE(fmi3GetNumberOfVariableDependencies, Ref vr, size_t *n)
NOT_THERE(fmi3GetVariableDependencies, Ref vr, size_t *a, Ref *b, size_t *d, int *k, size_t n)
EXPORT Status fmi3GetFMUState(void *c, void **state)
{
    if (!*state)
        *state = make();
    if (!*state)
        return Error;
    memcpy(*state, c, sizeof(Instance));
    return OK;
}
EXPORT Status fmi3SetFMUState(void *c, void *state) { memcpy(c, state, sizeof(Instance)); return OK; }
EXPORT Status fmi3FreeFMUState(void *c, void **state) { (void)c; free(*state); *state = NULL; return OK; }
NOT_THERE(fmi3SerializedFMUStateSize, void *s, size_t *n)
NOT_THERE(fmi3SerializeFMUState, void *s, uint8_t *b, size_t n)
NOT_THERE(fmi3DeserializeFMUState, const uint8_t *b, size_t n, void **s)
NOT_THERE(fmi3GetDirectionalDerivative, const Ref *u, size_t m, const Ref *k, size_t n, const double *s, size_t ns, double *v, size_t nv)
NOT_THERE(fmi3GetAdjointDerivative, const Ref *u, size_t m, const Ref *k, size_t n, const double *s, size_t ns, double *v, size_t nv)
EXPORT Status fmi3EnterConfigurationMode(void *c) { (void)c; return Error; }
EXPORT Status fmi3ExitConfigurationMode(void *c) { (void)c; return Error; }
NOT_THERE(fmi3GetIntervalDecimal, const Ref *vr, size_t n, double *v, int *q)
NOT_THERE(fmi3GetIntervalFraction, const Ref *vr, size_t n, uint64_t *a, uint64_t *b, int *q)
NOT_THERE(fmi3GetShiftDecimal, const Ref *vr, size_t n, double *v)
NOT_THERE(fmi3GetShiftFraction, const Ref *vr, size_t n, uint64_t *a, uint64_t *b)
NOT_THERE(fmi3SetIntervalDecimal, const Ref *vr, size_t n, const double *v)
NOT_THERE(fmi3SetIntervalFraction, const Ref *vr, size_t n, const uint64_t *a, const uint64_t *b)
NOT_THERE(fmi3SetShiftDecimal, const Ref *vr, size_t n, const double *v)
NOT_THERE(fmi3SetShiftFraction, const Ref *vr, size_t n, const uint64_t *a, const uint64_t *b)
EXPORT Status fmi3EvaluateDiscreteStates(void *c) { (void)c; return OK; }
EXPORT Status fmi3UpdateDiscreteStates(void *c, bool *needed, bool *stop, bool *nominals, bool *values, bool *defined, double *next)
{
    (void)c;
    *needed = *stop = *nominals = *values = *defined = false;
    *next = 0;
    return OK;
}
EXPORT Status fmi3EnterContinuousTimeMode(void *c) { (void)c; return OK; }
EXPORT Status fmi3CompletedIntegratorStep(void *c, bool no_return, bool *event, bool *stop) { (void)c; (void)no_return; *event = *stop = false; return OK; }
EXPORT Status fmi3SetTime(void *c, double t) { ((Instance *)c)->t = t; return OK; }
EXPORT Status fmi3SetContinuousStates(void *c, const double *y, size_t n) { memcpy(((Instance *)c)->y, y, n * sizeof(double)); return n == NY ? OK : Error; }
EXPORT Status fmi3GetContinuousStateDerivatives(void *c, double *ydot, size_t n) { return n == NY && rates(c, ((Instance *)c)->t, ((Instance *)c)->y, ydot) == 0 ? OK : Error; }
EXPORT Status fmi3GetEventIndicators(void *c, double *v, size_t n) { (void)c; (void)v; return n == 0 ? OK : Error; }
EXPORT Status fmi3GetContinuousStates(void *c, double *y, size_t n) { memcpy(y, ((Instance *)c)->y, n * sizeof(double)); return n == NY ? OK : Error; }
EXPORT Status fmi3GetNominalsOfContinuousStates(void *c, double *v, size_t n)
{
    (void)c;
    for (size_t i = 0; i < n; ++i)
        v[i] = 1.0;
    return OK;
}
EXPORT Status fmi3GetNumberOfEventIndicators(void *c, size_t *n) { (void)c; *n = 0; return OK; }
EXPORT Status fmi3GetNumberOfContinuousStates(void *c, size_t *n) { (void)c; *n = NY; return OK; }
EXPORT Status fmi3EnterStepMode(void *c) { (void)c; return OK; }
NOT_THERE(fmi3GetOutputDerivatives, const Ref *vr, size_t n, const int32_t *o, double *v, size_t m)
EXPORT Status fmi3DoStep(void *c, double t, double h, bool no_set, bool *event, bool *stop, bool *early, double *reached)
{
    (void)no_set;
    *event = *stop = *early = false;
    const int failed = go_to(c, t + h);
    *reached = ((Instance *)c)->t;
    return failed ? Error : OK;
}
EXPORT Status fmi3ActivateModelPartition(void *c, Ref clock, double t) { (void)c; (void)clock; (void)t; return Error; }
